import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MetricReads } from './metric-reads';
import { StoreTurns } from './store-turns';

/** Tells what has happened to the events of a source, or of all pipelines of a destination, over time. */
@Controller()
export class GetConnectionMetrics {
  constructor(
    private readonly reads: MetricReads,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('GetConnectionMetrics')
  handle(
    @Payload() request: RequestFor<'GetConnectionMetrics'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetConnectionMetrics']['out']> {
    const { pipelines, connection, ...period } = request.in;
    const place = { workspace: request.context.workspace, connection };
    return this.turns.take<Queries['GetConnectionMetrics']['out']>(request, context, () =>
      pipelines === null
        ? this.reads.source(connection, period)
        : this.reads.pipelines(pipelines, place, period),
    );
  }
}
