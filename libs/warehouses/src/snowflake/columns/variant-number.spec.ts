import { JsonNumber } from '@penstock/schema';
import fc from 'fast-check';
import { variantNumber } from './variant-number';

const NINES = '9'.repeat(38);

it.each([
  ['0', '0'],
  ['-0', '0'],
  ['1.50', '1.5'],
  ['1e3', '1000'],
  ['5.0', '5'],
  ['0e99999', '0'],
  ['18446744073709551615', '18446744073709551615'],
  [NINES, NINES],
  [`-${NINES}`, `-${NINES}`],
  [`0.${'9'.repeat(37)}`, `0.${'9'.repeat(37)}`],
  [`9.${'9'.repeat(37)}`, `9.${'9'.repeat(37)}`],
  ['1e-37', `0.${'0'.repeat(36)}1`],
  ['1e38', '1e+38'],
  ['1e-38', '1e-38'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['5e-324', '5e-324'],
])('%s is kept as %s', (text, kept) => {
  expect(variantNumber(text)).toBe(kept);
});

it.each([
  `1${NINES}`,
  `0.${'9'.repeat(38)}`,
  `99.${'9'.repeat(37)}`,
  '1e309',
  '1e-400',
  '1e999999999',
  '1.79769313486231571e308',
])('%s is not kept, since it would be rounded', (text) => {
  expect(variantNumber(text)).toBeUndefined();
});

it('keeps every double, and each number once', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const kept = variantNumber(new JsonNumber(String(value)).text);
      expect(Number(kept)).toBe(value + 0);
      expect(variantNumber(value.toExponential())).toBe(kept);
    }),
  );
});
