import fc from 'fast-check';
import { canonicalDate } from './date';
import { canonicalDateTime, compareDateTimes } from './date-time';
import { canonicalTime } from './time';

describe('forms of ISO 8601', () => {
  it.each([
    ['2024', '2024-01-01T00:00:00Z'],
    ['2024-02', '2024-02-01T00:00:00Z'],
    ['2024-W09', '2024-02-26T00:00:00Z'],
    ['2024w09', '2024-02-26T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['20240229', '2024-02-29T00:00:00Z'],
    ['2024-060', '2024-02-29T00:00:00Z'],
    ['2024060', '2024-02-29T00:00:00Z'],
    ['2024-W09-4', '2024-02-29T00:00:00Z'],
    ['2024W094', '2024-02-29T00:00:00Z'],
    ['2024-366', '2024-12-31T00:00:00Z'],
    ['2020-W53-5', '2021-01-01T00:00:00Z'],
    ['2025-W01-1', '2024-12-30T00:00:00Z'],
    ['0001-W01-1', '0001-01-01T00:00:00Z'],
    ['2024-02-29T10:11:12Z', '2024-02-29T10:11:12Z'],
    ['2024-02-29t10:11:12z', '2024-02-29T10:11:12Z'],
    ['2024-02-29 10:11:12', '2024-02-29T10:11:12Z'],
    ['20240229T10:11', '2024-02-29T10:11:00Z'],
    ['2024-02-29T1011', '2024-02-29T10:11:00Z'],
    ['2024060T10', '2024-02-29T10:00:00Z'],
    ['2024-W09-4T101112,5', '2024-02-29T10:11:12.500Z'],
    ['2024-02-29T10:11:12.000Z', '2024-02-29T10:11:12Z'],
    ['2024-02-29T10:11:12.1200', '2024-02-29T10:11:12.120Z'],
    ['2024-02-29T10:11:12.1234', '2024-02-29T10:11:12.123400Z'],
    ['2024-02-29T10:11:12.1234567', '2024-02-29T10:11:12.123456700Z'],
    ['2024-02-29T10:11:12.1234567899Z', '2024-02-29T10:11:12.123456789Z'],
    ['2024-02-29T10:11:12+02', '2024-02-29T08:11:12Z'],
    ['2024-02-29T10:11:12+0530', '2024-02-29T04:41:12Z'],
    ['2024-02-29T101112-07:30', '2024-02-29T17:41:12Z'],
    ['2024-02-29T10-07', '2024-02-29T17:00:00Z'],
    ['2024-02-29T10:11:12-00:00', '2024-02-29T10:11:12Z'],
    ['2024-03-01T00:00:00+23:59', '2024-02-29T00:01:00Z'],
    ['2024-02-28T24:00', '2024-02-29T00:00:00Z'],
    ['2024-12-31T24:00:00', '2025-01-01T00:00:00Z'],
    ['2024-02-29T240000.000+01:00', '2024-02-29T23:00:00Z'],
    ['0000-12-31T23:00:00-02:00', '0001-01-01T01:00:00Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['1900-02-28T23:59:59-00:01', '1900-03-01T00:00:59Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['2024-02-28 10:11:12+00', '2024-02-28T10:11:12Z'],
    ['2024-02-29 10:11:12+00', '2024-02-29T10:11:12Z'],
    ['2024-02-28 10:11:12.5+00', '2024-02-28T10:11:12.500Z'],
    ['2024-02-28 10:11:12.1234567899+00:00', '2024-02-28T10:11:12.123456789Z'],
    ['2024-02-28T10:11:12.000', '2024-02-28T10:11:12Z'],
  ])('%s is %s', (text, written) => expect(canonicalDateTime(text)).toBe(written));

  it.each([
    ...['', '202402', '20240', '24', '2024-2-9', '2024-02-30', '2023-02-29', '1900-02-29'],
    ...['2024-13-01', '2024-00-01', '2024-01-00', '2024-00', '2024-000', '2023-366', '2024-367'],
    ...['2024-W00', '2024-W53', '2024-W53-1', '2024-W09-0', '2024-W09-8', '2024-W094', '2024W09-4'],
    ...[
      '2024-0229',
      '202402-29',
      '-2024-01-01',
      '+2024-01-01',
      '12024-01-01',
      '0000',
      '0000-12-31',
    ],
    ...[
      '2024-02T10:00',
      '2024T10',
      '2024-W09T10:00',
      '2024-02-29Z',
      '2024-02-29+02:00',
      '2024-02-29T',
    ],
    ...['2024-02-29  10:00', ' 2024-02-29', '2024-02-29 ', '2024-02-29T10:00 Z', '2024-02-29\n'],
    ...[
      '2024-02-29T25',
      '2024-02-29T1',
      '2024-02-29T101',
      '2024-02-29T10:11:1',
      '2024-02-29T10:1112',
    ],
    ...['2024-02-29T1011:12', '2024-02-29T10:60', '2024-02-29T10:11:60', '2024-02-29T10.5'],
    ...['2024-02-29T10:11.5', '2024-02-29T10:11:12.', '2024-02-29T24:01', '2024-02-29T24:00:01'],
    ...['2024-02-29T24:00:00.001', '2024-02-29T10+24', '2024-02-29T10+02:60', '2024-02-29T10+2'],
    ...['2024-02-29T10+02:', '2024-02-29T10ZZ', '2024-02-29T10:11:12−02:00', '２０２４-02-29'],
    ...['9999-12-31T24:00:00Z', '9999-12-31T23:00:00-01:00', '0001-01-01T00:00:00+00:01'],
    ...['0000-02-28 10:11:12+00', '2024-02-28 10:11:12+0', '2024-02-28 10:11:12.+00'],
    ...['Thu, 29 Feb 2024', '1709201472', '2024-02-29T10:11:12 +02:00', '2024/02/29'],
  ])('%j is refused', (text) => expect(canonicalDateTime(text)).toBeUndefined());
});

/** A moment of the years 1 to 9999 in whole milliseconds. */
const moment = (): fc.Arbitrary<Date> =>
  fc.date({
    min: new Date('0001-01-03T00:00:00Z'),
    max: new Date('9999-12-29T00:00:00Z'),
    noInvalidDate: true,
  });

const DAY_MS = 86_400_000;

const midnight = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day);

const digits = (number: number, width: number): string => String(number).padStart(width, '0');

/** Week date by the rule that a week belongs to the year of its Thursday. */
const weekDate = (date: Date): { year: number; week: number; day: number } => {
  const day = date.getUTCDay() || 7;
  const thursday = new Date(date.getTime() + (4 - day) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - midnight(year, 0, 1)) / DAY_MS / 7) + 1;
  return { year, week, day };
};

describe('against Date', () => {
  const written = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

  it('reads moments with any offset', () =>
    fc.assert(
      fc.property(moment(), fc.integer({ min: -1439, max: 1439 }), (date, offsetMinutes) => {
        const local = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [
          Math.floor(Math.abs(offsetMinutes) / 60),
          Math.abs(offsetMinutes) % 60,
        ];
        const offset = `${offsetMinutes < 0 ? '-' : '+'}${digits(hours, 2)}:${digits(minutes, 2)}`;
        expect(canonicalDateTime(local + offset)).toBe(written(date));
        expect(canonicalDateTime(written(date))).toBe(written(date));
      }),
    ));

  it('reads ordinal and week dates', () =>
    fc.assert(
      fc.property(moment(), (date) => {
        const [day, time] = date.toISOString().split('T');
        const year = digits(date.getUTCFullYear(), 4);
        const start = midnight(date.getUTCFullYear(), 0, 1);
        const ordinal = digits(Math.floor((date.getTime() - start) / DAY_MS) + 1, 3);
        const week = weekDate(date);
        const forms = [
          `${day}T${time}`,
          `${day?.replaceAll('-', '')}T${time?.replaceAll(':', '')}`,
          `${year}-${ordinal}T${time}`,
          `${year}${ordinal}T${time}`,
          `${digits(week.year, 4)}-W${digits(week.week, 2)}-${week.day}T${time}`,
          `${digits(week.year, 4)}W${digits(week.week, 2)}${week.day}T${time}`,
        ];
        expect(forms.map(canonicalDateTime)).toEqual(forms.map(() => written(date)));
      }),
    ));

  it('knows which days exist', () =>
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(13), fc.nat(32), (year, month, day) => {
        const date = new Date(midnight(year, month - 1, day));
        const exists =
          date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && year > 0;
        const text = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
        expect(canonicalDate(text)).toBe(exists ? text : undefined);
        expect(canonicalDateTime(text)).toBe(exists ? `${text}T00:00:00Z` : undefined);
      }),
      { numRuns: 1000 },
    ));

  it('orders by instant', () =>
    fc.assert(
      fc.property(moment(), moment(), fc.nat(3), (a, b, cut) => {
        const [first, second] = [a, b].map((date) => canonicalDateTime(date.toISOString()) ?? '');
        const close = canonicalDateTime(
          `${a.toISOString().slice(0, -1 - cut)}Z`.replace('.Z', 'Z'),
        );
        expect(Math.sign(compareDateTimes(first ?? '', second ?? ''))).toBe(
          Math.sign(a.getTime() - b.getTime()),
        );
        expect(compareDateTimes(close ?? '', first ?? '')).toBeLessThanOrEqual(0);
      }),
    ));
});

describe('date', () => {
  it.each(['0001-01-01', '9999-12-31', '2024-02-29'])('%s', (text) =>
    expect(canonicalDate(text)).toBe(text),
  );

  it.each([
    '0000-12-31',
    '2023-02-29',
    '20240229',
    '2024-2-9',
    '2024-02-29T00:00:00Z',
    '2024-060',
    '2024-02-29 ',
    '10000-01-01',
  ])('%j is refused', (text) => expect(canonicalDate(text)).toBeUndefined());
});

describe('time', () => {
  it.each([
    ['00:00:00', '00:00:00'],
    ['23:59:59.999999999', '23:59:59.999999999'],
    ['10:11:12.1', '10:11:12.100'],
    ['10:11:12.1000', '10:11:12.100'],
    ['10:11:12.0000001', '10:11:12.000000100'],
    ['10:11:12.000', '10:11:12'],
  ])('%s is written %s', (text, written) => expect(canonicalTime(text)).toBe(written));

  it.each([
    '24:00:00',
    '23:59:60',
    '23:60:00',
    '10:11',
    '101112',
    '1:00:00',
    '10:11:12.',
    '10:11:12,5',
    '10:11:12.1234567890',
    '10:11:12Z',
    ' 10:11:12',
    '10:11:12\n',
  ])('%j is refused', (text) => expect(canonicalTime(text)).toBeUndefined());
});
