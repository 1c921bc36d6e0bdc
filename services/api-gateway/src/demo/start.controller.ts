import { Controller, Get, Header, Redirect, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Needs } from '../auth/access';
import { Demo } from './demo';

/** Leads who opens the address in a browser to the demo where it is shown, else to the document of the API. */
@Controller()
@Needs('public')
export class StartController {
  constructor(private readonly demo: Demo) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Redirect()
  start(@Req() request: Request): { readonly url: string; readonly statusCode: number } {
    const isDemo = this.demo.trail !== undefined && this.demo.isShownTo(request);
    return { url: isDemo ? '/demo' : '/v1/docs', statusCode: 302 };
  }
}
