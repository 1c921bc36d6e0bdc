import type { Queries } from '@penstock/contracts';
import { LogRequestContext, MAX_VALUE_BYTES } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryReads, type ListedDelivery } from './delivery-reads';
import { listCursor, listPlace } from './list-cursor';
import { StoreTurns } from './store-turns';

/** Bytes of all deliveries in one answer, which is one message and, sealed, a third longer. */
const MAX_PAGE_BYTES = 0.6 * MAX_VALUE_BYTES;

/** The first deliveries that fit into an answer, and at least one. */
const fitting = (found: readonly ListedDelivery[]): readonly ListedDelivery[] => {
  let bytes = 0;
  const first = found.findIndex(({ view }) => {
    bytes += Buffer.byteLength(JSON.stringify(view));
    return bytes > MAX_PAGE_BYTES;
  });
  return first === -1 ? found : found.slice(0, Math.max(1, first));
};

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
