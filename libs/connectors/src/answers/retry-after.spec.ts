import { retryAfterMs } from './retry-after';

const NOW = Date.parse('2026-03-01T09:30:00.000Z');

it.each([
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['3599', 3_599_000],
  ['3600', 3_600_000],
  ['3601', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['Sun, 01 Mar 2026 09:30:30 GMT', 30_000],
  ['Sunday, 01-Mar-26 09:30:30 GMT', 30_000],
  ['Sun Mar  1 09:30:30 2026', 30_000],
  ['Sun, 01 Mar 2026 12:30:00 GMT', 3_600_000],
  ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Sun, sometime', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j means %j ms', (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected);
});

afterEach(() => {
  jest.restoreAllMocks();
});

it.each([
  ['Sun Mar  1 09:30:30 2026', 30_000],
  ['Sun, 01 Mar 2026 09:30:30', 30_000],
  ['Sun, 01 Mar 2026 09:30:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 10:30:30 +0100', 30_000],
])('%j means %j ms also where the local time is not GMT', (header, expected) => {
  const { parse } = Date;
  jest
    .spyOn(Date, 'parse')
    .mockImplementation((text) => parse(/(?:GMT|[+-]\d{4})$/.test(text) ? text : `${text} +0545`));
  expect(retryAfterMs(header, NOW)).toBe(expected);
});
