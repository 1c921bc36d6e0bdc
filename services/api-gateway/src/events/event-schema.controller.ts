import { Controller, Get } from '@nestjs/common';
import { EVENT_SCHEMA } from '@penstock/contracts';
import { type Json, typeToJson } from '@penstock/schema';

@Controller('v1/events/schema')
export class EventSchemaController {
  @Get()
  get(): Json {
    return typeToJson(EVENT_SCHEMA);
  }
}
