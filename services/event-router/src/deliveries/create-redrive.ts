import { setTimeout } from 'node:timers/promises';
import { type JobId, type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { JobStore } from '../store/jobs/job-store';
import type { RedriveRequest } from '../store/redrive-request';
import { RedriveStore } from '../store/redrive-store';
import { Orderings, redriveRequestOf } from './redrive-request-of';
import { redrivePlace } from './redrive-view';
import { StoreTurns } from './store-turns';

/** Milliseconds for which an answer waits until all is chosen: some ten thousand dead letters. Routers go on after that. */
const CHOOSING_MS = 2_000;
/** Pause while another router chooses for the same redrive. */
const BUSY_MS = 20;

/** Creates a redrive, once for each command, or only counts what it would choose. */
@Controller()
export class CreateRedrive {
  constructor(
    private readonly jobs: JobStore,
    private readonly redrives: RedriveStore,
    private readonly orderings: Orderings,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CreateRedrive')
  handle(
    @Payload() request: RequestFor<'CreateRedrive'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CreateRedrive']['out']> {
    const { pipeline, wanted, isDryRun } = request.in;
    const redrive = redriveRequestOf(pipeline, wanted, this.orderings);
    return this.turns.take(request, context, async () => {
      if (isDryRun)
        return { id: null, count: await this.redrives.count(redrivePlace(request), redrive) };
      const id = await this.create(request, redrive);
      return { id, count: await this.choose(request, id, redrive) };
    });
  }

  private async create(
    request: RequestFor<'CreateRedrive'>,
    redrive: RedriveRequest,
  ): Promise<JobId> {
    const { id, command } = request.in;
    const { actor } = request.context;
    const place = redrivePlace(request);
    const text = JSON.stringify(redrive);
    const job = { ...place, id, request: text, actor, command: command ?? id };
    const created = await this.jobs.create(job);
    if (created === undefined) throw new Refusal('TooManyRedrives');
    return created.id;
  }

  /** @returns the number of what was chosen, and of what the redrive has still to choose. */
  private async choose(
    request: RequestFor<'CreateRedrive'>,
    id: JobId,
    redrive: RedriveRequest,
  ): Promise<number> {
    let state = await this.redrives.choose(id);
    for (const endMs = performance.now() + CHOOSING_MS; state !== 'over';) {
      if (performance.now() > endMs) break;
      if (state === 'busy') await setTimeout(BUSY_MS);
      state = await this.redrives.choose(id);
    }
    return this.redrives.countOf(id, redrivePlace(request), redrive);
  }
}
