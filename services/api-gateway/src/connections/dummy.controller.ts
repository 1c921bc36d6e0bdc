import { Controller, Get, Param } from '@nestjs/common';
import { ConfigurationPicture, Refusal } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import { Needs } from '../http/access';
import { CalledBy, type Caller } from '../http/caller';
import { jsonObject } from '../http/json-object';
import { KeptEvents } from './kept-events';

/** Looks into the test application. */
@Controller('v1/connections/:id/dummy')
export class DummyController {
  constructor(
    private readonly picture: ConfigurationPicture,
    private readonly keptEvents: KeptEvents,
  ) {}

  @Get()
  @Needs('write')
  async look(@CalledBy() { workspace }: Caller, @Param('id') id: string): Promise<Json> {
    const connection = this.picture.connection(id);
    if (connection?.workspace !== workspace || connection.connector !== 'dummy')
      throw new Refusal('ConnectionNotExist');
    const events = await this.keptEvents.of(connection.id);
    return jsonObject({ events: events.map((text) => parseJson(text)) });
  }
}
