import { checkValue, type Json, type Type, type Value, valueToJson } from '@penstock/schema';

/**
 * What a condition has seen, as JSON, for people. Inside of JSON it is that already.
 *
 * @param value what a look-up of the property has found; never throws, whatever it is.
 * @returns undefined when there was no value, or none of the property's type.
 */
export const seenValue = (type: Type, value: unknown): Json | undefined => {
  if (value === undefined || value === null) return value;
  if (type.kind === 'json') return value as Json;
  try {
    if (checkValue(type, value as Value) !== undefined) return undefined;
    return valueToJson(type, value as Value);
  } catch {
    return undefined;
  }
};
