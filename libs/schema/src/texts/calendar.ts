const DAYS_BEFORE_MARCH = 306;
const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeapYear = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export const daysInYear = (year: number): number => (isLeapYear(year) ? 366 : 365);

/** 0 when there is no such month. */
export const daysInMonth = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);

/**
 * Days from 0000-03-01 (proleptic Gregorian) to a day; negative before it. Months beyond the twelfth are not
 * wrapped, days may exceed their month.
 *
 * Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
 */
export const dayNumber = (year: number, month: number, day: number): number => {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / YEARS_PER_ERA);
  const yearOfEra = shifted - era * YEARS_PER_ERA;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra;
};

/** Year, month and day of a {@link dayNumber}. Source: the same, `civil_from_days`. */
export const civilDay = (number: number): [year: number, month: number, day: number] => {
  const era = Math.floor(number / DAYS_PER_ERA);
  const dayOfEra = number - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const year = yearOfEra + era * YEARS_PER_ERA + (dayOfYear >= DAYS_BEFORE_MARCH ? 1 : 0);
  return [year, shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9, day];
};

/** 1 for Monday to 7 for Sunday. 0000-03-01 was a Wednesday. */
export const weekday = (number: number): number => ((((number + 2) % 7) + 7) % 7) + 1;
