import type { ConnectionDelivery } from '@penstock/contracts';
import type { Json, JsonNumber, JsonObject } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { shaped } from '../validation/json-body';
import { DeliveryDto } from './connection.dto';

/** Converts seconds; the upper bound exceeds any retention of events. */
const secondsIn = ({ text }: JsonNumber): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER);

/**
 * Reads the member `delivery` of a request.
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

/** Converts delivery settings for an answer: the members that were set. */
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
