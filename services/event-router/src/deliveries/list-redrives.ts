import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { JobStore } from '../store/jobs/job-store';
import { redrivePlace, redriveView } from './redrive-view';
import { jobIn } from './job-cursor';
import { StoreTurns } from './store-turns';

/** Lists the redrives of a pipeline. */
@Controller()
export class ListRedrives {
  constructor(
    private readonly jobs: JobStore,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('ListRedrives')
  async handle(
    @Payload() request: RequestFor<'ListRedrives'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRedrives']['out']> {
    const { limit, cursor } = request.in;
    const before = jobIn(cursor);
    const wanted = { limit: limit + 1, ...(before !== undefined && { before }) };
    const found = await this.turns.take(request, context, () =>
      this.jobs.list(redrivePlace(request), wanted),
    );
    const page = found.slice(0, limit);
    return {
      redrives: page.map(redriveView),
      cursor: page.length < found.length ? (page.at(-1)?.id ?? '') : '',
    };
  }
}
