import { type Queries, Refusal, type ReplayFailureView } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Replays } from '../replays/replays';
import { listCursor, listPlace } from './list-cursor';
import { ReplayFailures } from './replay-failures';
import { shortReason } from '../outcomes/short-reason';
import { StoreTurns } from './store-turns';

const maskedView = (view: ReplayFailureView): ReplayFailureView => ({
  ...view,
  reason: shortReason(view.step, view.reason),
});

/** Lists the rejected and parked deliveries that a replay has kept, with whole reasons or without what may quote values. */
@Controller()
export class ListReplayFailures {
  constructor(
    private readonly replays: Replays,
    private readonly failures: ReplayFailures,
    private readonly turns: StoreTurns,
  ) {}

  /** Accesses to values are recorded before they are answered. */
  @Handles('ListReplayFailures')
  async handle(
    @Payload() request: RequestFor<'ListReplayFailures'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListReplayFailures']['out']> {
    const { pipeline, id, limit, cursor, withValues } = request.in;
    const { workspace, actor, requestId } = request.context;
    const wanted = { workspace, pipeline, replay: id, limit, after: listPlace(cursor) };
    const access = withValues ? { actor, requestId } : undefined;
    const { page, hasMore } = await this.turns.take(request, context, async () => {
      if ((await this.replays.find(workspace, pipeline, id)) === undefined)
        throw new Refusal('ReplayNotExist');
      return this.failures.list(wanted, access);
    });
    const last = page.at(-1)?.place;
    return {
      failures: page.map(({ view }) => (withValues ? view : maskedView(view))),
      cursor: hasMore && last !== undefined ? listCursor(last) : '',
    };
  }
}
