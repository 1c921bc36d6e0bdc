import {
  type DifferenceView,
  type Queries,
  Refusal,
  type ReplayedResult,
} from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { MASK, maskedValues } from '@penstock/schema';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Replays } from '../replays/replays';
import { listCursor, listPlace } from './list-cursor';
import { ReplayDifferences } from './replay-differences';
import { StoreTurns } from './store-turns';

/** A digest of few possible values would give them away. */
const maskedResult = (result: ReplayedResult | null): ReplayedResult | null =>
  result && {
    ...result,
    values: result.values && maskedValues(result.values),
    digest: result.digest && MASK,
  };

const maskedView = (view: DifferenceView): DifferenceView => ({
  ...view,
  before: maskedResult(view.before),
  now: maskedResult(view.now),
});

/** Lists the examples of differences that a replay has kept, with their values or masked. */
@Controller()
export class ListReplayDifferences {
  constructor(
    private readonly replays: Replays,
    private readonly differences: ReplayDifferences,
    private readonly turns: StoreTurns,
  ) {}

  /** Accesses to values are recorded before they are answered. */
  @Handles('ListReplayDifferences')
  async handle(
    @Payload() request: RequestFor<'ListReplayDifferences'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListReplayDifferences']['out']> {
    const { pipeline, id, kind, limit, cursor, withValues } = request.in;
    const { workspace, actor, requestId } = request.context;
    const after = listPlace(cursor);
    const wanted = { workspace, pipeline, replay: id, kind, limit, after };
    const access = withValues ? { actor, requestId } : undefined;
    const { page, hasMore } = await this.turns.take(request, context, async () => {
      if ((await this.replays.find(workspace, pipeline, id)) === undefined)
        throw new Refusal('ReplayNotExist');
      return this.differences.list(wanted, access);
    });
    const last = page.at(-1)?.place;
    return {
      differences: page.map(({ view }) => (withValues ? view : maskedView(view))),
      cursor: hasMore && last !== undefined ? listCursor(last) : '',
    };
  }
}
