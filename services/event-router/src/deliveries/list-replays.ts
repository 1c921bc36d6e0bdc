import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Replays } from '../replays/replays';
import { jobIn } from './job-cursor';
import { StoreTurns } from './store-turns';

/** Lists the replays of a pipeline. */
@Controller()
export class ListReplays {
  constructor(
    private readonly replays: Replays,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('ListReplays')
  async handle(
    @Payload() request: RequestFor<'ListReplays'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListReplays']['out']> {
    const { pipeline, limit, cursor } = request.in;
    const before = jobIn(cursor) ?? '';
    const found = await this.turns.take(request, context, () =>
      this.replays.list(request.context.workspace, pipeline, { limit: limit + 1, before }),
    );
    const replays = found.slice(0, limit);
    return {
      replays,
      cursor: replays.length < found.length ? (replays.at(-1)?.id ?? '') : '',
    };
  }
}
