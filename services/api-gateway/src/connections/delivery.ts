import type { ConnectionDelivery } from '@penstock/contracts';
import type { Json, JsonNumber, JsonObject } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { shaped } from '../validation/json-body';
import { DeliveryDto } from './delivery.dto';

/** More seconds than any event is kept for. */
const secondsIn = ({ text }: JsonNumber): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER);

/**
 * The member `delivery` of a request.
 *
 * @throws Refusal BadRequest naming every bad member.
 */
export const deliveryIn = (given: JsonObject): ConnectionDelivery => {
  const { ordering, maxAge, timeout } = shaped(DeliveryDto, given, '/delivery');
  return {
    ...(ordering !== undefined && { ordering }),
    ...(maxAge !== undefined && { maxAgeSeconds: secondsIn(maxAge) }),
    ...(timeout !== undefined && { timeoutSeconds: secondsIn(timeout) }),
  };
};

/** The same as it is shown: the members that were given. */
export const deliveryJson = ({
  ordering,
  maxAgeSeconds,
  timeoutSeconds,
}: ConnectionDelivery): Json =>
  jsonObject({
    ordering,
    maxAge: maxAgeSeconds === undefined ? undefined : jsonInteger(maxAgeSeconds),
    timeout: timeoutSeconds === undefined ? undefined : jsonInteger(timeoutSeconds),
  });
