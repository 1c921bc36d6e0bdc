import type { Microtime } from '@penstock/contracts';

const FRACTION_DIGITS = 6;
const MS_DIGITS = 3;
const US_PER_MS = 1_000n;

/** A canonical datetime with six digits of the second; what is below is cut off. */
export const microtimeOf = (datetime: string): Microtime => {
  const [upToSecond = '', fraction = ''] = datetime.slice(0, -1).split('.');
  return `${upToSecond}.${fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')}Z`;
};

/** Microseconds since 1970. */
export const microsecondsOf = (time: Microtime): bigint => {
  const [upToSecond = '', fraction = ''] = time.slice(0, -1).split('.');
  const digits = fraction.padEnd(FRACTION_DIGITS, '0');
  const ms = Date.parse(`${upToSecond}.${digits.slice(0, MS_DIGITS)}Z`);
  return BigInt(ms) * US_PER_MS + BigInt(digits.slice(MS_DIGITS, FRACTION_DIGITS));
};

/** The later of two; `null` is before all others. */
export const laterOf = (one: Microtime | null, other: Microtime | null): Microtime | null => {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
};

/** The earlier of two; `null` stays. */
export const atMost = (time: Microtime | null, limit: Microtime): Microtime | null =>
  time === null || time < limit ? time : limit;
