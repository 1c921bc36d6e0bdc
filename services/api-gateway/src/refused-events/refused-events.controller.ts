import { Controller, Get, Param, Query } from '@nestjs/common';
import type { RefusedCount } from '@penstock/contracts';
import { Seals } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import { includes } from '../auth/access';
import { connectionId } from '../connections/connection-id';
import { jsonInteger, jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import type { QueryParameters } from '../validation/page';
import { refusedEventJson } from './refused-event-json';
import { REFUSED_FILTER, REFUSED_QUERY, refusedPage, refusedWanted } from './refused-events-query';

/** Events of a source that were refused. */
@Tagged('Deliveries')
@Controller('v1/connections/:id/refused-events')
export class RefusedEventsController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly seals: Seals,
  ) {}

  @Performs('ListRefusedEvents', 'List refused events', {
    description:
      'Events of the source that intake has rejected, and those whose message id had come before with another body, newest ' +
      'first. Of many at once not all are recorded: the others are counted by an entry whose `count` is above 1. A key of ' +
      'scope `read` sees values masked; any other access is recorded in the access log before it is answered.',
    answer: 'RefusedEventList',
    query: REFUSED_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { caller, requestId } = metadata;
    const { id: source } = this.reads.get('GetConnection', { id: connectionId(path) }, caller);
    const withValues = includes(caller.scope, 'write');
    const wanted = { ...refusedPage(query, source), withValues };
    const { events, cursor } = await this.pipelineService.query(
      'ListRefusedEvents',
      requestId,
      wanted,
      metadata,
    );
    const of = { workspace: caller.workspace, source, withValues };
    return jsonObject({
      events: events.map((event) => refusedEventJson(event, of, this.seals)),
      cursor,
    });
  }

  @Performs('CountRefusedEvents', 'Count refused events', {
    description:
      'How many events of the source were refused, by code; those that are only counted included.',
    answer: 'RefusedEventCounts',
    query: REFUSED_FILTER,
  })
  @Get('counts')
  async count(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { caller, requestId } = metadata;
    const { id: source } = this.reads.get('GetConnection', { id: connectionId(path) }, caller);
    const { counts } = await this.pipelineService.query(
      'CountRefusedEvents',
      requestId,
      refusedWanted(query, source),
      metadata,
    );
    return jsonObject({
      counts: counts.map(({ code, count }) =>
        jsonObject<keyof RefusedCount>({ code, count: jsonInteger(count) }),
      ),
    });
  }
}
