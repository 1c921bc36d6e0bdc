import { canonicalDateTime } from '@penstock/schema';
import { FormatError } from './members';

const NAMED = /^<.*>$/;
const RECEIVED_BEFORE = /^<receivedAt-(\d+)s>$/;
const UUID_V5 = /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Values of an event that are known in advance. */
export interface Known {
  readonly connection: string;
  readonly receivedAt: string;
  /** The id that was derived from the event's user earlier; undefined when none was. */
  readonly derived: string | undefined;
}

const text = (value: unknown, accepts: (text: string) => boolean, otherwise: string): unknown =>
  typeof value === 'string' && accepts(value) ? value : otherwise;

/**
 * Resolves a placeholder in an expected text: where several values are allowed, to the actual one.
 *
 * @param actual the event's value at this place; undefined when there is none.
 * @returns the expected value; undefined when there should be none.
 * @throws FormatError when the placeholder is not known.
 */
export const filled = (expected: string, actual: unknown, known: Known): unknown => {
  if (!NAMED.test(expected)) return expected;
  const seconds = RECEIVED_BEFORE.exec(expected)?.[1];
  if (seconds !== undefined) return secondsBefore(known.receivedAt, Number(seconds));
  switch (expected) {
    case '<connection>':
      return known.connection;
    case '<receivedAt>':
      return known.receivedAt;
    case '<derived>':
      return known.derived ?? text(actual, (uuid) => UUID_V5.test(uuid), expected);
    case '<generated>':
    case '<any>':
      return text(actual, (held) => held !== '', expected);
    case '<optional>':
      return typeof actual === 'string' ? actual : undefined;
    default:
      throw new FormatError(`the placeholder ${expected} is not known`);
  }
};

const secondsBefore = (moment: string, seconds: number): string | undefined =>
  canonicalDateTime(new Date(Date.parse(moment) - seconds * 1_000).toISOString());
