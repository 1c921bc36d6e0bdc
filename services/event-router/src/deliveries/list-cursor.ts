import { Refusal } from '@penstock/contracts';
import type { ListPlace } from './deliveries-statement';
import { deliveryId, deliveryPlace } from './delivery-id';

const FORM = /^([0-9a-z]{1,9})-([\w-]+)$/;

/** Where a list of deliveries goes on: after this place. It stays valid when deliveries are added, end or are removed. */
export const listCursor = (place: ListPlace): string =>
  `${place.receivedMs.toString(36)}-${deliveryId(place)}`;

/** The place that a cursor names; undefined for an empty one. @throws Refusal BadRequest for any other text. */
export const listPlace = (cursor: string): ListPlace | undefined => {
  if (cursor === '') return undefined;
  const [, time, id] = FORM.exec(cursor) ?? [];
  const place = id === undefined ? undefined : deliveryPlace(id);
  if (time !== undefined && place !== undefined)
    return { ...place, receivedMs: parseInt(time, 36) };
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};
