import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from '../auth/caller';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import type { QueryParameters } from '../validation/page';
import { LAST_EVENT_ID_HEADER, lastEventIdIn, LIVE_QUERY, watchIn } from './live-query';
import { LiveTail } from './live-tail';
import type { Watch } from './watch';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // A client that was ended while the gateway drains must come back over another connection.
  Connection: 'close',
  // Of proxies that would otherwise keep the events until there are many.
  'X-Accel-Buffering': 'no',
};

const whenClosed = (response: Response): AbortSignal => {
  const gone = new AbortController();
  const abort = (): void => {
    gone.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  // A client that has closed its half waits for the end of an answer: this one has none.
  response.req.socket.once('end', abort);
  return gone.signal;
};

/** Events as they pass. */
@Tagged('Deliveries')
@Controller('v1/events/live')
export class LiveController {
  constructor(
    private readonly tail: LiveTail,
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('WatchEvents', 'Watch events', {
    description:
      'Server-sent events, until the client closes the connection: `event` for each accepted event with what every ' +
      'pipeline makes of it, `outcome` when a delivery of it has ended, `dropped` with the number of those that were left ' +
      'out. Under load they are a sample. A key of scope `read` sees all values masked, and filters by `messageId`, `receivedAt` ' +
      'and `type` only; with any other the access is recorded in the access log first.',
    answer: 'LiveEvents',
    isStream: true,
    query: LIVE_QUERY,
    headers: [LAST_EVENT_ID_HEADER],
  })
  @Get()
  async watch(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { caller } = metadata;
    const watch = watchIn(query, this.reads, caller);
    const after = lastEventIdIn(request.header('last-event-id'));
    if (request.method === 'HEAD') {
      response.set(HEADERS).end();
      return;
    }
    const onBegin = (): Promise<void> => this.record(watch, metadata);
    const open = (): Response => {
      response.set(HEADERS).flushHeaders();
      return response;
    };
    await this.tail.watch({ caller, watch, after, onBegin }, open, whenClosed(response));
  }

  /** An access to values is recorded before the first of them is shown. */
  private async record(
    { withValues, connection, pipeline }: Watch,
    metadata: RequestMetadata,
  ): Promise<void> {
    if (!withValues) return;
    const watched = {
      ...(connection !== null && { connection }),
      ...(pipeline !== null && { pipeline }),
    };
    await this.pipelineService.query('WatchEvents', metadata.requestId, watched, metadata);
  }
}
