import { isIdForm, type JobId, type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { JobStore } from '../store/jobs/job-store';
import { redrivePlace, redriveView } from './redrive-view';
import { StoreTurns } from './store-turns';

/** @throws Refusal BadRequest for a text that is not a cursor of the list. */
const jobIn = (cursor: string): JobId | undefined => {
  if (cursor === '') return undefined;
  if (isIdForm(cursor)) return cursor as JobId;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

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
