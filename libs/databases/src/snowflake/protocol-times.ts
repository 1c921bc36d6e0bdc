import { canonicalDate, canonicalDateTime, canonicalTime } from '@penstock/schema';

const SECONDS_PER_DAY = 86_400;

/** Seconds, and digits of their fraction. */
const SECONDS = /^(-?)(\d{1,13})(?:\.(\d{1,9}))?$/;

/** A day or a moment in ISO 8601; undefined: JavaScript has none so far away. */
const isoOf = (seconds: number): string | undefined => {
  const at = new Date(seconds * 1_000);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', '');
};

/** Whole seconds, rounded down, and the digits behind them. */
const partsOf = (text: string): readonly [seconds: number, fraction: string] | undefined => {
  const [found, sign = '', digits = '', decimals = ''] = SECONDS.exec(text) ?? [];
  if (found === undefined) return undefined;
  const whole = Number(digits);
  const nanoseconds = Number(decimals.padEnd(9, '0'));
  if (sign === '' || nanoseconds === 0) return [sign === '' ? whole : -whole, decimals];
  return [-whole - 1, String(1_000_000_000 - nanoseconds).padStart(9, '0')];
};

const withFraction = (text: string, fraction: string): string =>
  fraction === '' ? text : `${text}.${fraction}`;

/** A day. @param text days since 1970. */
export const dayOf = (text: string): string | undefined => {
  const [days, fraction] = partsOf(text) ?? [NaN, ''];
  const day = fraction === '' ? isoOf(days * SECONDS_PER_DAY) : undefined;
  return day === undefined ? undefined : canonicalDate(day.replace('T00:00:00', ''));
};

/** A moment. @param text seconds since 1970. */
export const momentOf = (text: string): string | undefined => {
  const [seconds, fraction] = partsOf(text) ?? [NaN, ''];
  const moment = isoOf(seconds);
  return moment === undefined ? undefined : canonicalDateTime(`${withFraction(moment, fraction)}Z`);
};

/** A time of day. @param text seconds since midnight. */
export const clockOf = (text: string): string | undefined => {
  const [seconds, fraction] = partsOf(text) ?? [NaN, ''];
  if (!(seconds >= 0 && seconds < SECONDS_PER_DAY)) return undefined;
  const clock = isoOf(seconds)?.slice('1970-01-01T'.length) ?? '';
  return canonicalTime(withFraction(clock, fraction));
};
