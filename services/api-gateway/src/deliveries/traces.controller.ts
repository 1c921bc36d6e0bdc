import { Controller, Get, Param, Query } from '@nestjs/common';
import type { TraceWanted } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { includes } from '../auth/access';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import type { QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';
import { textParameter } from '../validation/text-parameter';
import { traceJson } from './trace-json';
import { MAX_ANONYMOUS_ID, TRACE_QUERY } from './trace-query';

const wantedOf = (messageId: string, query: QueryParameters): Omit<TraceWanted, 'withValues'> => {
  const given = {
    connection: textParameter(query, 'connection'),
    pipeline: textParameter(query, 'pipeline'),
    anonymousId: textParameter(query, 'anonymousId', MAX_ANONYMOUS_ID),
    at: timeParameter(query, 'at'),
  };
  if (given.anonymousId !== undefined && given.connection === undefined)
    throw malformed('/anonymousId', 'needs connection, the source that it belongs to');
  if (given.at !== undefined && given.anonymousId === undefined)
    throw malformed('/at', 'needs anonymousId, by which the event is looked for on the log');
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { messageId, ...Object.fromEntries(present) };
};

/** What became of single events. Any router answers. */
@Tagged('Deliveries')
@Controller('v1/events/:messageId/trace')
export class TracesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('TraceEvent', 'Trace event', {
    description: [
      'The event as it was accepted, its duplicates, and for each pipeline what its filter has seen, what its transformation',
      'gives when it is run again, the recorded attempts, and how the delivery ended or stands. `unknown` says what is not',
      'known any more, `kept` how far back each is. A key of scope `read` sees all values masked; any other access is recorded',
      'in the access log, under `event.place`, before it is answered.',
    ].join(' '),
    answer: 'Trace',
    query: TRACE_QUERY,
  })
  @Get()
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('messageId') messageId: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const withValues = includes(metadata.caller.scope, 'write');
    const wanted = { ...wantedOf(messageId, query), withValues };
    const { requestId } = metadata;
    return traceJson(await this.pipelineService.query('TraceEvent', requestId, wanted, metadata));
  }
}
