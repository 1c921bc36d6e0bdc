import { formOf, serialText } from './cell-dates';

it.each([
  ['General', 'number'],
  ['0.00', 'number'],
  ['yyyy-mm-dd', 'date'],
  ['mmm yy', 'date'],
  ['h:mm', 'time'],
  ['mm:ss', 'time'],
  ['d/m/yyyy h:mm', 'datetime'],
  ['[$-409]d. mmmm yyyy;@', 'date'],
  ['0 "days"', 'number'],
  ['0\\d', 'number'],
  ['[h]:mm:ss', 'number'],
  ['[Red]0;[Blue]yyyy', 'number'],
])('%s shows a %s', (code, form) => {
  expect(formOf(code)).toBe(form);
});

it.each<[number, 'date' | 'time' | 'datetime', boolean, string | undefined]>([
  [1, 'date', false, '1900-01-01'],
  [0, 'date', false, undefined],
  [0, 'date', true, '1904-01-01'],
  [-1, 'date', true, undefined],
  [59, 'date', false, '1900-02-28'],
  [60, 'date', false, undefined],
  [60, 'date', true, '1904-03-01'],
  [61, 'date', false, '1900-03-01'],
  [0.25, 'time', false, '06:00:00'],
  [1.25, 'time', false, '1900-01-01T06:00:00'],
  [0.25, 'date', false, undefined],
  [45_351.000_005_79, 'datetime', false, '2024-02-29T00:00:00.500'],
  [2_958_465, 'date', false, '9999-12-31'],
  [2_958_466, 'date', false, undefined],
  [2_957_003, 'date', true, '9999-12-31'],
  [2_957_004, 'date', true, undefined],
])('%d as a %s, from 1904: %j, is %j', (serial, form, isFrom1904, text) => {
  expect(serialText(serial, form, isFrom1904)).toBe(text);
});
