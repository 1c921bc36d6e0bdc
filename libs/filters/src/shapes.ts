import { JsonNumber, JsonText, type Json, type RecordValue } from '@penstock/schema';

/** Whether a value is an object's members. Never throws. */
export const isRecord = (value: unknown): value is RecordValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);

/** Neither null, nor empty, nor equal to anything: what should have been JSON and is not. */
const UNREADABLE = new JsonNumber('');

/** What a value of kind json holds; undefined when there is no value. Never throws. */
export const jsonOf = (value: unknown): Json | undefined => {
  if (value === undefined || value === null) return value;
  if (!(value instanceof JsonText)) return UNREADABLE;
  try {
    return value.value;
  } catch {
    return UNREADABLE;
  }
};
