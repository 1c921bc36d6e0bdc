import { Controller, Get, Param } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import { Needs } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { connectionId } from './connection-id';
import { KeptEvents } from './kept-events';

/** Looks into the test application. */
@Tagged('Applications')
@Controller('v1/connections/:id/dummy')
export class DummyController {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly keptEvents: KeptEvents,
  ) {}

  @Describe('List kept events', {
    description: 'What the test application `dummy` has taken.',
    answer: 'KeptEvents',
  })
  @Refuses('ConnectionNotExist')
  @Get()
  @Needs('write')
  async look(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<Json> {
    const id = connectionId(path);
    const { connector } = await this.pipelineService.query('GetConnection', id, { id }, metadata);
    if (connector !== 'dummy') throw new Refusal('ConnectionNotExist');
    const events = await this.keptEvents.of(id);
    return jsonObject({ events: events.map((text) => parseJson(text)) });
  }
}
