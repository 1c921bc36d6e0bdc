import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ReplayCreation } from '../replays/replay-creation';
import { StoreTurns } from './store-turns';

/** Counts the events that a replay would read. */
@Controller()
export class CountReplayEvents {
  constructor(
    private readonly creation: ReplayCreation,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CountReplayEvents')
  handle(
    @Payload() request: RequestFor<'CountReplayEvents'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CountReplayEvents']['out']> {
    const { pipeline, wanted } = request.in;
    return this.turns.take(request, context, async () =>
      this.creation.count(await this.creation.plan(request.context.workspace, pipeline, wanted)),
    );
  }
}
