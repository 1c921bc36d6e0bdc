import { randomBytes } from 'node:crypto';

/** Milliseconds since 1970 in base 36: enough until the year 5188. */
const TIME_LENGTH = 9;
const RANDOM_LENGTH = 11;

/** Half of what 11 digits hold, so that counting up from a random start never overflows. */
const RANDOM_LIMIT = 36n ** 11n / 2n;

const randomStart = (): bigint => randomBytes(8).readBigUInt64BE() % RANDOM_LIMIT;

let lastMs = 0;
let counter = 0n;

const digits = (value: bigint | number, length: number): string =>
  value.toString(36).padStart(length, '0');

/**
 * A new opaque id: 20 characters of [0-9a-z] that sort by time. Within a process every id is greater than the
 * one before, also in one millisecond and when the clock is set back. Carries 55 random bits; not a secret.
 */
export const newId = (): string => {
  const nowMs = Date.now();
  counter = nowMs > lastMs ? randomStart() : counter + 1n;
  lastMs = Math.max(nowMs, lastMs);
  return digits(lastMs, TIME_LENGTH) + digits(counter, RANDOM_LENGTH);
};
