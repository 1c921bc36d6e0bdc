import { Controller, Get, Query } from '@nestjs/common';
import { type Json, parseJson } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import type { QueryParameters } from '../validation/page';
import { EVENTS_QUERY, eventsQuery } from './events-query';

/** The events in the warehouse. */
@Tagged('Events')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListEvents', 'List events', {
    description: [
      'The events in the warehouse. The newest ones are the first, unless there is an `order`: the path of a property whose',
      'values have one. Events without a value are the last ones, equal ones go by their connections and message ids. Texts',
      'are ordered by the code points of their first 128 characters. Events that are written between two pages move no',
      'others. A page may be shorter than `limit` when its events are large, and even empty when a filter on what is inside',
      '`properties` or `traits` matches few of many events: only an empty `cursor` is the end. A cursor is valid for 24 hours,',
      'for the same list.',
    ].join(' '),
    answer: 'StoredEventList',
    query: EVENTS_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { events, cursor } = await this.pipelineService.query(
      'ListEvents',
      metadata.caller.workspace,
      eventsQuery(query),
      metadata,
    );
    return jsonObject({ events: events.map((event) => parseJson(event)), cursor });
  }
}
