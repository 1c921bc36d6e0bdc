import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { MASK, maskedValues } from '@penstock/schema';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { deliveryPlace } from './delivery-id';
import { StoreTurns } from './store-turns';
import { WholeDeliveries } from './whole-deliveries';

/** Shows one delivery in full, with the values of its event or masked. */
@Controller()
export class GetDelivery {
  constructor(
    private readonly deliveries: WholeDeliveries,
    private readonly turns: StoreTurns,
  ) {}

  /** An access to values is recorded before they are answered. */
  @Handles('GetDelivery')
  async handle(
    @Payload() request: RequestFor<'GetDelivery'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetDelivery']['out']> {
    const { id, withValues } = request.in;
    const { workspace, actor, requestId } = request.context;
    const place = deliveryPlace(id);
    if (place === undefined) throw new Refusal('DeliveryNotExist');
    const access = withValues ? { actor, requestId } : undefined;
    const found = await this.turns.take(request, context, () =>
      this.deliveries.find(workspace, place, access),
    );
    if (found === undefined) throw new Refusal('DeliveryNotExist');
    const { view, detail, event } = found;
    return {
      ...view,
      detail: withValues || detail === '' ? detail : MASK,
      event: withValues || event === null ? event : maskedValues(event),
      isMasked: !withValues,
    };
  }
}
