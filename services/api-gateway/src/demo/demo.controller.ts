import { Controller, Get, Res } from '@nestjs/common';
import { type Json, parseJson } from '@penstock/schema';
import type { Response } from 'express';
import { Needs } from '../auth/access';
import { KeptEvents } from '../connections/kept-events';
import { HttpRefusal } from '../http/http-refusal';
import { jsonObject } from '../http/json-object';
import { DemoDestination } from './demo-destination';
import { DEMO_PAGE } from './demo-page';

/** Public page with the deliveries of the demo's destination; 404 without a demo. */
@Controller('demo')
@Needs('public')
export class DemoController {
  constructor(
    private readonly destination: DemoDestination,
    private readonly keptEvents: KeptEvents,
  ) {}

  @Get()
  page(@Res() response: Response): void {
    this.connection();
    response
      .set('Content-Security-Policy', "default-src 'self' 'unsafe-inline'")
      .type('html')
      .send(DEMO_PAGE);
  }

  @Get('deliveries')
  async deliveries(): Promise<Json> {
    const events = await this.keptEvents.of(this.connection());
    return jsonObject({ deliveries: events.map((text) => parseJson(text)) });
  }

  private connection(): string {
    if (this.destination.connection === undefined) throw new HttpRefusal('NotFound');
    return this.destination.connection;
  }
}
