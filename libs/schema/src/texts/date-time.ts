import { civilDay, dayNumber, daysInMonth, daysInYear, weekday } from './calendar';
import { dateText, padded } from './date';
import { fractionText } from './time';

/** Already as it is written, on a day that every month has: by far the most frequent input. */
const WRITTEN =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.(?:\d{3}){0,2}(?!000)\d{3})?Z$/;

/** A day that every month has, in UTC, as databases write it: no calendar is needed. */
const PLAIN =
  /^((?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]))[ T]((?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d+))?(?:Z|\+00(?::00)?)?$/;

const CALENDAR = /^(\d{4})(-?)(\d\d)\2(\d\d)$/;
const ORDINAL = /^(\d{4})-?(\d{3})$/;
const WEEK = /^(\d{4})(-?)w(\d\d)\2(\d)$/i;
const REDUCED = /^(\d{4})(?:-(\d\d))?$/;
const REDUCED_WEEK = /^(\d{4})-?w(\d\d)$/i;
const TIME =
  /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?(?:(z)|([+-])(\d\d)(?::?(\d\d))?)?$/i;

const SECONDS_PER_DAY = 86_400;

/**
 * A moment in UTC, RFC 3339 with `Z` and 0, 3, 6 or 9 digits of fraction, of any form of ISO 8601 with a
 * four-digit year: calendar, ordinal and week dates, basic or extended, reduced when alone; a time of day
 * with or without an offset; `24:00`. Digits after the ninth of a fraction are cut off.
 *
 * @returns undefined for anything else, and for years outside 1 to 9999 after conversion.
 */
export const canonicalDateTime = (text: string): string | undefined => {
  if (WRITTEN.test(text)) return text;
  const plain = PLAIN.exec(text);
  if (plain !== null) return `${plain[1] ?? ''}T${plain[2] ?? ''}${fractionText(plain[3] ?? '')}Z`;
  const separator = text.search(/[t ]/i);
  if (separator < 0) return writtenText(reducedDay(text) ?? fullDay(text), 0, '');
  const time = secondsAndFraction(text.slice(separator + 1));
  return time && writtenText(fullDay(text.slice(0, separator)), ...time);
};

/** Orders canonical datetimes by the moment that they name. */
export const compareDateTimes = (a: string, b: string): number => {
  if (a === b) return 0;
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
};

const writtenText = (
  day: number | undefined,
  seconds: number,
  fraction: string,
): string | undefined => {
  if (day === undefined) return undefined;
  const [year, month, date] = civilDay(day + Math.floor(seconds / SECONDS_PER_DAY));
  if (year < 1 || year > 9999) return undefined;
  const second = ((seconds % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
  const clock = [second / 3600, (second / 60) % 60, second % 60].map((part) =>
    padded(Math.floor(part), 2),
  );
  return `${dateText(year, month, date)}T${clock.join(':')}${fraction}Z`;
};

const numbers = (match: RegExpExecArray | null, ...groups: number[]): number[] | undefined =>
  match ? groups.map((group) => Number(match[group] ?? '1')) : undefined;

/** The day number of a whole date, in any of its three forms. */
const fullDay = (text: string): number | undefined =>
  calendarDay(numbers(CALENDAR.exec(text), 1, 3, 4)) ??
  ordinalDay(numbers(ORDINAL.exec(text), 1, 2)) ??
  weekDay(numbers(WEEK.exec(text), 1, 3, 4));

/** A year or a month stand for their first day, a week for its Monday. */
const reducedDay = (text: string): number | undefined =>
  calendarDay(numbers(REDUCED.exec(text), 1, 2, 3)) ??
  weekDay(numbers(REDUCED_WEEK.exec(text), 1, 2, 3));

const calendarDay = ([year = 0, month = 0, day = 0]: number[] = []): number | undefined =>
  day >= 1 && day <= daysInMonth(year, month) ? dayNumber(year, month, day) : undefined;

const ordinalDay = ([year = 0, day = 0]: number[] = []): number | undefined =>
  day >= 1 && day <= daysInYear(year) ? dayNumber(year, 1, day) : undefined;

const weekDay = ([year = 0, week = 0, day = 0]: number[] = []): number | undefined => {
  if (day < 1 || day > 7 || week < 1) return undefined;
  const monday = firstMonday(year) + (week - 1) * 7;
  return monday < firstMonday(year + 1) ? monday + day - 1 : undefined;
};

/** The Monday of week 1: of the week that holds 4 January. */
const firstMonday = (year: number): number => {
  const fourth = dayNumber(year, 1, 4);
  return fourth - weekday(fourth) + 1;
};

/** Seconds since midnight in UTC, which may lie outside the day, and the fraction as it is written. */
const secondsAndFraction = (text: string): [seconds: number, fraction: string] | undefined => {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const part = (group: number): number => Number(match[group] ?? '0');
  const [hour, minute, second] = [part(1), part(3), part(4)];
  const fraction = fractionText(match[5] ?? '');
  if (hour > 24 || minute > 59 || second > 59 || part(8) > 23 || part(9) > 59) return undefined;
  if (hour === 24 && (minute > 0 || second > 0 || fraction !== '')) return undefined;
  const offset = (part(8) * 60 + part(9)) * (match[7] === '-' ? -60 : 60);
  return [hour * 3600 + minute * 60 + second - offset, fraction];
};
