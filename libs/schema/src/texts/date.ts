import { daysInMonth } from './calendar';

/** A day that every month has: by far the most frequent input. */
const WRITTEN = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Four digits, two, two. */
export const dateText = (year: number, month: number, day: number): string =>
  `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;

export const padded = (number: number, width: number): string =>
  String(number).padStart(width, '0');

/** `yyyy-mm-dd` of an existing day of the years 1 to 9999, as it is; undefined for anything else. */
export const canonicalDate = (text: string): string | undefined => {
  if (WRITTEN.test(text)) return text;
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  return year >= 1 && day >= 1 && day <= daysInMonth(year, month) ? text : undefined;
};
