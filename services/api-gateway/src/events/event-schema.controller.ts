import { Controller, Get } from '@nestjs/common';
import { EVENT_SCHEMA } from '@penstock/contracts';
import { type Json, typeToJson } from '@penstock/schema';
import { Describe, Tagged } from '../openapi/schema/describe';

@Tagged('Events')
@Controller('v1/events/schema')
export class EventSchemaController {
  @Describe('Get event schema', {
    description: 'The schema of events as pipelines see them.',
    answer: 'Schema',
  })
  @Get()
  get(): Json {
    return typeToJson(EVENT_SCHEMA);
  }
}
