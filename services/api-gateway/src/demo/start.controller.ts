import { Controller, Get, Header, Redirect } from '@nestjs/common';
import { Needs } from '../auth/access';
import { Demo } from './demo';

/** Leads who opens the address in a browser to the demo where there is one, else to the document of the API. */
@Controller()
@Needs('public')
export class StartController {
  constructor(private readonly demo: Demo) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Redirect()
  start(): { readonly url: string; readonly statusCode: number } {
    return { url: this.demo.trail === undefined ? '/v1/docs' : '/demo', statusCode: 302 };
  }
}
