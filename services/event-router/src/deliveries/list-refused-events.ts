import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { RefusedEventsTable } from '../refused/refused-events-table';
import { Accesses } from './accesses';
import { fitting } from './fitting';
import { refusedCursor, refusedPlace } from './refused-cursor';
import { StoreTurns } from './store-turns';

/** Lists events that were refused. */
@Controller()
export class ListRefusedEvents {
  constructor(
    private readonly table: RefusedEventsTable,
    private readonly accesses: Accesses,
    private readonly turns: StoreTurns,
  ) {}

  /** A page ends before its limit where it would become too large for an answer. An access to values is recorded first. */
  @Handles('ListRefusedEvents')
  async handle(
    @Payload() request: RequestFor<'ListRefusedEvents'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRefusedEvents']['out']> {
    const { limit, cursor, withValues, ...wanted } = request.in;
    const { workspace, actor, requestId } = request.context;
    const after = refusedPlace(cursor);
    const found = await this.turns.take(request, context, async () => {
      const delivery = `refused-events connection=${wanted.source}`;
      if (withValues) await this.accesses.record(workspace, { actor, requestId, delivery });
      return this.table.list(workspace, wanted, { limit: limit + 1, after });
    });
    const page = fitting(found.slice(0, limit));
    const last = page.at(-1)?.place;
    return {
      events: page.map(({ view }) => view),
      cursor: page.length < found.length && last !== undefined ? refusedCursor(last) : '',
    };
  }
}
