import type { DeliveryCount, StoredDeliveryView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

/** A delivery in answers. */
export const deliveryJson = (view: StoredDeliveryView): Json =>
  jsonObject<keyof StoredDeliveryView>({
    ...view,
    pipelineVersion: jsonInteger(view.pipelineVersion),
    attempts: jsonInteger(view.attempts),
  });

/** A number of deliveries in answers. */
export const countJson = ({ count, ...of }: DeliveryCount): Json =>
  jsonObject({ ...of, count: jsonInteger(count) });
