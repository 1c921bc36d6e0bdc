import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Replays } from '../replays/replays';
import { StoreTurns } from './store-turns';

/** Shows one replay: how far it is, and what it has found. */
@Controller()
export class GetReplay {
  constructor(
    private readonly replays: Replays,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('GetReplay')
  async handle(
    @Payload() request: RequestFor<'GetReplay'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetReplay']['out']> {
    const { pipeline, id } = request.in;
    const found = await this.turns.take(request, context, () =>
      this.replays.find(request.context.workspace, pipeline, id),
    );
    if (found === undefined) throw new Refusal('ReplayNotExist');
    return found;
  }
}
