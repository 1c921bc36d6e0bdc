import type { DeliveryCount, DeliveryView, StoredDeliveryView } from '@penstock/contracts';
import { type Json, type JsonObject, parseJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

/** A delivery in answers. */
export const deliveryJson = (view: StoredDeliveryView): JsonObject =>
  jsonObject<keyof StoredDeliveryView>({
    ...view,
    pipelineVersion: jsonInteger(view.pipelineVersion),
    attempts: jsonInteger(view.attempts),
  });

/** A number of deliveries in answers. */
export const countJson = ({ count, ...of }: DeliveryCount): Json =>
  jsonObject({ ...of, count: jsonInteger(count) });

/** A delivery in full in answers; its event has every digit of its numbers. */
export const wholeDeliveryJson = ({ detail, event, isMasked, ...view }: DeliveryView): Json =>
  new Map([
    ...deliveryJson(view),
    ['detail', detail],
    ['event', event === null ? null : parseJson(event)],
    ['isMasked', isMasked],
  ]);
