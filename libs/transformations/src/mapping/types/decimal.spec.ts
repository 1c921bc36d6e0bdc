import fc from 'fast-check';
import { decimalKey, decimalOfFloat, parseDecimal, plainText, round } from './decimal';

const exact = (text: string) => {
  const number = parseDecimal(text);
  if (!number) throw new TypeError(text);
  return number;
};

it.each([
  '',
  '+1',
  '01',
  '1.',
  '.5',
  '1e',
  ' 1',
  '1_0',
  '0x1',
  'NaN',
  'Infinity',
  '1e9999999999999999',
])('does not accept %j as a number', (text) => {
  expect(parseDecimal(text)).toBeUndefined();
});

it.each<[text: string, scale: number, expected: string]>([
  ['2.5', 0, '3'],
  ['-2.5', 0, '-3'],
  ['2.49', 0, '2'],
  ['1.005', 2, '1.01'],
  ['0.05', 1, '0.1'],
  ['0.04', 1, '0'],
  ['-0.04', 1, '0'],
  ['0.5', 0, '1'],
  ['0.49999', 0, '0'],
  ['0.05', 0, '0'],
  ['9.99', 1, '10'],
  ['99.5', 0, '100'],
  ['-999.95', 1, '-1000'],
  ['1.96', 1, '2'],
  ['12', 5, '12'],
  ['1e3', 0, '1000'],
  ['1e-400', 37, '0'],
  ['0', 0, '0'],
  ['-0.0', 3, '0'],
])('rounds %s to %i digits as %s', (text, scale, expected) => {
  expect(plainText(round(exact(text), scale))).toBe(expected);
});

it('rounds as integer arithmetic does', () => {
  const half = 5n * 10n ** 9n;
  const expected = (units: bigint): bigint =>
    units < 0n ? -((-units + half) / 10n ** 10n) : (units + half) / 10n ** 10n;
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (units) => {
      const rounded = plainText(round(exact(`${units}e-10`), 0));
      return rounded === String(expected(units));
    }),
  );
});

it.each<[value: number, bitSize: 32 | 64, expected: string | undefined]>([
  [0.4, 64, '0.4'],
  [Math.fround(0.4), 32, '0.4'],
  [1e21, 64, '1000000000000000000000'],
  [2 ** 60, 64, '1152921504606846976'],
  [-1e-7, 64, '-0.0000001'],
  [0, 64, '0'],
  [Number.NaN, 64, undefined],
  [Number.NEGATIVE_INFINITY, 32, undefined],
])('the decimal value of %d is %s', (value, bitSize, expected) => {
  const number = decimalOfFloat(value, bitSize);
  expect(number && plainText(number)).toBe(expected);
});

it.each<[a: string, b: string, same: boolean]>([
  ['1.50', '15e-1', true],
  ['1e400', '10e399', true],
  ['0', '-0.00e7', true],
  ['1', '-1', false],
  ['12', '1.2', false],
])('%s and %s have one key: %s', (a, b, same) => {
  expect(decimalKey(exact(a)) === decimalKey(exact(b))).toBe(same);
});
