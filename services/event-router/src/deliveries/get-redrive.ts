import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { JobStore } from '../store/jobs/job-store';
import { existingRedrive, redriveView } from './redrive-view';
import { StoreTurns } from './store-turns';

/** Shows a redrive with its progress. */
@Controller()
export class GetRedrive {
  constructor(
    private readonly jobs: JobStore,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('GetRedrive')
  handle(
    @Payload() request: RequestFor<'GetRedrive'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetRedrive']['out']> {
    return this.turns.take(request, context, async () =>
      redriveView(await existingRedrive(this.jobs, request)),
    );
  }
}
