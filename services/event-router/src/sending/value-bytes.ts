import { JsonText, type Value } from '@penstock/schema';

const ENTRY_BYTES = 16;

/** An estimate of the bytes that a value takes in memory. */
export const bytesOf = (value: Value | undefined): number => {
  if (typeof value === 'string') return ENTRY_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return ENTRY_BYTES;
  if (value instanceof JsonText) return ENTRY_BYTES + value.text.length;
  const members: Iterable<Value | undefined> =
    value instanceof Map || Array.isArray(value) ? value.values() : Object.values(value);
  let sum = ENTRY_BYTES;
  for (const member of members) sum += bytesOf(member);
  return sum;
};
