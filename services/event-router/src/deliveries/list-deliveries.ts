import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryReads } from './delivery-reads';
import { fitting } from './fitting';
import { listCursor, listPlace } from './list-cursor';
import { StoreTurns } from './store-turns';

/** Lists deliveries that wait or have not succeeded. */
@Controller()
export class ListDeliveries {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly turns: StoreTurns,
  ) {}

  /** A page ends before its limit where it would become too large for an answer. */
  @Handles('ListDeliveries')
  async handle(
    @Payload() request: RequestFor<'ListDeliveries'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListDeliveries']['out']> {
    const { limit, cursor, ...wanted } = request.in;
    const after = listPlace(cursor);
    const found = await this.turns.take(request, context, () =>
      this.reads.list(request.context.workspace, wanted, { limit: limit + 1, after }),
    );
    const page = fitting(found.slice(0, limit));
    const last = page.at(-1)?.place;
    return {
      deliveries: page.map(({ view }) => view),
      cursor: page.length < found.length && last !== undefined ? listCursor(last) : '',
    };
  }
}
