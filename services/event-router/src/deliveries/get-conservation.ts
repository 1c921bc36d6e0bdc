import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { warehouseOf } from '../store/lane-id';
import { DeliveryReads } from './delivery-reads';
import { StoreTurns } from './store-turns';

/** Tells what became of the events that were accepted for a pipeline. */
@Controller()
export class GetConservation {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('GetConservation')
  handle(
    @Payload() request: RequestFor<'GetConservation'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetConservation']['out']> {
    const { pipeline, connection } = request.in;
    const lane = connection ?? warehouseOf(request.context.workspace);
    return this.turns.take(request, context, () => this.reads.conservation(pipeline, lane));
  }
}
