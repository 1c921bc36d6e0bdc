import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Replays } from '../replays/replays';
import { StoreTurns } from './store-turns';

/** Ends a running replay. */
@Controller()
export class CancelReplay {
  constructor(
    private readonly replays: Replays,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CancelReplay')
  async handle(
    @Payload() request: RequestFor<'CancelReplay'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CancelReplay']['out']> {
    const { pipeline, id } = request.in;
    const isThere = await this.turns.take(request, context, () =>
      this.replays.cancel(request.context.workspace, pipeline, id),
    );
    if (!isThere) throw new Refusal('ReplayNotExist');
    return {};
  }
}
