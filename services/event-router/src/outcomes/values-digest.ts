import { hash } from 'node:crypto';
import { JsonText, type RecordValue, type Value } from '@penstock/schema';

/** Characters of base64url that hold 64 bits. */
const LENGTH = 11;

const byName = (one: readonly [string, unknown], other: readonly [string, unknown]): number =>
  one[0] < other[0] ? -1 : 1;

const ofMembers = (members: [string, Value | undefined][]): string => {
  let text = '';
  for (const [name, value] of members.sort(byName))
    if (value !== undefined) text += `${JSON.stringify(name)}:${textOf(value)},`;
  return `{${text}}`;
};

/** A text that two values share only if they are equal; the order of members does not matter. */
const textOf = (value: Value): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(textOf).join(',')}]`;
  if (value instanceof Map) return ofMembers([...(value as ReadonlyMap<string, Value>)]);
  return ofMembers(Object.entries(value as RecordValue));
};

/**
 * Identifies what is passed to a connector for an event: 64 bits of a SHA-1 in base64url, 11 characters. It recognizes
 * equal values; it is no proof against forgery.
 *
 * @param values `null`: the pipeline has no transformation, and the connector gets the event as it is.
 */
export const valuesDigest = (eventType: string, values: RecordValue | null): string =>
  hash('sha1', `${eventType}\n${values === null ? '' : textOf(values)}`, 'base64url').slice(
    0,
    LENGTH,
  );
