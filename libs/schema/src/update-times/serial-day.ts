import { civilDay, dayNumber } from '../texts/calendar';
import { dateText, padded } from '../texts/date';
import { canonicalDecimal } from '../texts/decimal';

/** The day before the first one, which is 1900-01-01. */
const DAY_0 = dayNumber(1899, 12, 31);
/** The 29th of February 1900, which never was. */
const NO_DAY = 60;
const LAST_DAY = dayNumber(9999, 12, 31);

const MICROSECONDS_PER_DAY = 86_400_000_000n;
const MICROSECONDS_PER_SECOND = 1_000_000;
/** Digits of the fraction of a day that can make a microsecond. */
const FRACTION_DIGITS = 20;

const clockText = (fraction: string): string => {
  const kept = BigInt(fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0'));
  const microseconds = Number((kept * MICROSECONDS_PER_DAY) / 10n ** BigInt(FRACTION_DIGITS));
  const seconds = Math.floor(microseconds / MICROSECONDS_PER_SECOND);
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    padded(Math.floor(part), 2),
  );
  return `${clock.join(':')}.${padded(microseconds % MICROSECONDS_PER_SECOND, 6)}`;
};

/**
 * The moment of a serial day of a spreadsheet, which counts from 1900-01-01 as 1: `45000.5` is noon of 2023-03-15.
 * Digits below a microsecond are cut off.
 *
 * @returns undefined for a text that is no number, and a number that no day has.
 */
export const serialDayTime = (text: string): string | undefined => {
  const [whole = '', fraction = ''] = canonicalDecimal(text)?.split('.') ?? [];
  const serial = Number(whole);
  if (whole === '' || serial < 1 || serial === NO_DAY) return undefined;
  const day = DAY_0 + serial - (serial > NO_DAY ? 1 : 0);
  return day > LAST_DAY ? undefined : `${dateText(...civilDay(day))}T${clockText(fraction)}Z`;
};
