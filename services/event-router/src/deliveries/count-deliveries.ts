import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryReads } from './delivery-reads';
import { StoreTurns } from './store-turns';

/** Counts deliveries that wait or have not succeeded. */
@Controller()
export class CountDeliveries {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CountDeliveries')
  handle(
    @Payload() request: RequestFor<'CountDeliveries'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CountDeliveries']['out']> {
    return this.turns.take(request, context, () =>
      this.reads.counts(request.context.workspace, request.in),
    );
  }
}
