import { Controller, Get, Param } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { type Json, JsonNumber, parseJson } from '@penstock/schema';
import { Needs } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import type { RequestMetadata } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { connectionId } from './connection-id';
import { KeptEvents } from './kept-events';

const jsonNumber = (count: number): JsonNumber => new JsonNumber(String(count));

/** Events and users that the test application received. */
@Tagged('Applications')
@Controller('v1/connections/:id/dummy')
export class DummyController {
  constructor(
    private readonly reads: Reads,
    private readonly keptEvents: KeptEvents,
  ) {}

  @Describe('List kept events', {
    description: 'The users and events that the test application `dummy` has received.',
    answer: 'KeptEvents',
  })
  @Refuses('ConnectionNotExist')
  @Get()
  @Needs('write')
  async look(@Metadata() { caller }: RequestMetadata, @Param('id') path: string): Promise<Json> {
    const id = connectionId(path);
    const { connector } = this.reads.get('GetConnection', { id }, caller);
    if (connector !== 'dummy') throw new Refusal('ConnectionNotExist');
    const events = await this.keptEvents.of(id);
    const { users, created, updated } = await this.keptEvents.users(id);
    return jsonObject({
      users: jsonNumber(users),
      upserts: jsonNumber(created + updated),
      creates: jsonNumber(created),
      updates: jsonNumber(updated),
      events: events.map(({ body }) => parseJson(body)),
    });
  }
}
