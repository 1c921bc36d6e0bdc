import { type JobId, type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type PlannedReplay, ReplayCreation } from '../replays/replay-creation';
import { ReplayTelling } from '../replays/replay-telling';
import { Replays } from '../replays/replays';
import { ReplayDeliveryStore } from '../store/replay-delivery-store';
import { StoreTurns } from './store-turns';

/** Creates a replay, on which any router works from then on. */
@Controller()
export class CreateReplay {
  constructor(
    private readonly creation: ReplayCreation,
    private readonly replays: Replays,
    private readonly deliveries: ReplayDeliveryStore,
    private readonly telling: ReplayTelling,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CreateReplay')
  handle(
    @Payload() request: RequestFor<'CreateReplay'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CreateReplay']['out']> {
    const { pipeline, wanted } = request.in;
    return this.turns.take(request, context, async () => {
      const planned = await this.creation.plan(request.context.workspace, pipeline, wanted);
      const id = await this.create(request, planned);
      if (id === undefined) throw new Refusal('ReplayAlreadyRunning');
      this.telling.wake();
      return { id };
    });
  }

  private create(
    request: RequestFor<'CreateReplay'>,
    planned: PlannedReplay,
  ): Promise<JobId | undefined> {
    const { id, command, pipeline, wanted } = request.in;
    const { workspace, actor } = request.context;
    const replay = { id, workspace, pipeline, actor };
    if (wanted.mode === 'shadow') return this.replays.create({ ...planned, ...replay, command });
    const of = { kind: 'DeliveringReplay', request: JSON.stringify(planned.request) } as const;
    return this.deliveries.create({ ...replay, ...of, command: command ?? id }, planned.parts);
  }
}
