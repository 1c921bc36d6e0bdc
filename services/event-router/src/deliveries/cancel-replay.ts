import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ReplayTelling } from '../replays/replay-telling';
import { Replays } from '../replays/replays';
import { StoreTurns } from './store-turns';

/** Ends a running replay. */
@Controller()
export class CancelReplay {
  constructor(
    private readonly replays: Replays,
    private readonly telling: ReplayTelling,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CancelReplay')
  async handle(
    @Payload() request: RequestFor<'CancelReplay'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CancelReplay']['out']> {
    const { pipeline, id } = request.in;
    const { workspace, actor } = request.context;
    const isThere = await this.turns.take(request, context, () =>
      this.replays.cancel(workspace, pipeline, id, actor),
    );
    if (!isThere) throw new Refusal('ReplayNotExist');
    this.telling.wake();
    return {};
  }
}
