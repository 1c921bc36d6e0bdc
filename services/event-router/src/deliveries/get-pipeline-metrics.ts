import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MetricReads } from './metric-reads';
import { StoreTurns } from './store-turns';

/** Tells what has happened to the events of a pipeline over time. */
@Controller()
export class GetPipelineMetrics {
  constructor(
    private readonly reads: MetricReads,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('GetPipelineMetrics')
  handle(
    @Payload() request: RequestFor<'GetPipelineMetrics'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetPipelineMetrics']['out']> {
    const { pipeline, connection, ...period } = request.in;
    const place = { workspace: request.context.workspace, connection };
    return this.turns.take(request, context, () => this.reads.pipelines([pipeline], place, period));
  }
}
