import type { Microtime } from '@penstock/contracts';

const FRACTION_DIGITS = 6;
const US_PER_MS = 1_000;
/** Of a time with six digits of the second. */
const LENGTH = 27;
/** Where its digits below the millisecond stand. */
const [MICROS_START, MICROS_END] = [23, 26];

/** A canonical datetime with six digits of the second; what is below is cut off. */
export const microtimeOf = (datetime: string): Microtime => {
  if (datetime.length === LENGTH) return datetime;
  const [upToSecond = '', fraction = ''] = datetime.slice(0, -1).split('.');
  return `${upToSecond}.${fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')}Z`;
};

/** Microseconds since 1970. */
export const microsecondsOf = (time: Microtime): bigint => {
  const whole = microtimeOf(time);
  // What is below the millisecond is cut off.
  const ms = Date.parse(whole);
  const micros = Number(whole.slice(MICROS_START, MICROS_END));
  const us = ms * US_PER_MS + micros;
  return Number.isSafeInteger(us) ? BigInt(us) : BigInt(ms) * BigInt(US_PER_MS) + BigInt(micros);
};

/** The later of two; `null` is before all others. */
export const laterOf = (one: Microtime | null, other: Microtime | null): Microtime | null => {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
};

/** The earlier of two; `null` stays. */
export const atMost = (time: Microtime | null, limit: Microtime): Microtime | null =>
  time === null || time < limit ? time : limit;
