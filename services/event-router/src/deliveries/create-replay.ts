import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ReplayCreation } from '../replays/replay-creation';
import { Replays } from '../replays/replays';
import { StoreTurns } from './store-turns';

/** Creates a replay, on which any router works from then on. */
@Controller()
export class CreateReplay {
  constructor(
    private readonly creation: ReplayCreation,
    private readonly replays: Replays,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CreateReplay')
  handle(
    @Payload() request: RequestFor<'CreateReplay'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CreateReplay']['out']> {
    const { pipeline, wanted, ...ids } = request.in;
    const { workspace, actor } = request.context;
    return this.turns.take(request, context, async () => {
      const planned = await this.creation.plan(workspace, pipeline, wanted);
      const id = await this.replays.create({ ...planned, ...ids, workspace, pipeline, actor });
      if (id === undefined) throw new Refusal('ReplayAlreadyRunning');
      return { id };
    });
  }
}
