import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { JobStore } from '../store/jobs/job-store';
import { existingRedrive } from './redrive-view';
import { StoreTurns } from './store-turns';

/** Cancels a redrive. */
@Controller()
export class CancelRedrive {
  constructor(
    private readonly jobs: JobStore,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CancelRedrive')
  handle(
    @Payload() request: RequestFor<'CancelRedrive'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CancelRedrive']['out']> {
    return this.turns.take(request, context, async () => {
      const { id } = await existingRedrive(this.jobs, request);
      await this.jobs.cancel(id);
      return {};
    });
  }
}
