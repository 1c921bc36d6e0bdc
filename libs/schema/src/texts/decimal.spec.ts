import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { canonicalDecimal, compareDecimals } from './decimal';

/** Decimals by another hand, without limits of its own. */
const Exact = Decimal.clone({ precision: 400, toExpNeg: -9e15, toExpPos: 9e15 });

const nines = (count: number): string => '9'.repeat(count);

describe('canonical text', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.00e7', '0'],
    ['0e999999999999999999999', '0'],
    ['1.500', '1.5'],
    ['100', '100'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['12.5e-3', '0.0125'],
    ['-123.4500e1', '-1234.5'],
    ['0.001e3', '1'],
    ['0.0010', '0.001'],
  ])('%s is %s', (text, canonical) => expect(canonicalDecimal(text)).toBe(canonical));

  it.each([
    '',
    '.5',
    '5.',
    '+1',
    '01',
    '-',
    '1e',
    '1e+',
    '0x1',
    '1,5',
    ' 1',
    '1 ',
    'NaN',
    '--1',
    '1\n',
    '１',
  ])('%j is no number', (text) => expect(canonicalDecimal(text)).toBeUndefined());

  it.each([
    [nines(76), true],
    [nines(77), false],
    ['1e75', true],
    ['1e76', false],
    ['1e-37', true],
    ['1e-38', false],
    ['10e-38', true],
    [`${nines(76)}.${nines(37)}`, true],
    [`0.${'0'.repeat(37)}0`, true],
    ['1e99999999999999999999', false],
    ['1e-99999999999999999999', false],
  ])('%s fits without other limits: %s', (text, fits) =>
    expect(canonicalDecimal(text) !== undefined).toBe(fits),
  );

  it.each([
    ['999.99', true],
    ['1000', false],
    ['999.995', false],
    ['-999.99', true],
    ['0.01', true],
    ['0.001', false],
    ['0.0100', true],
    ['1e2', true],
    ['1e3', false],
  ])('%s fits 5 digits, 2 after the point: %s', (text, fits) =>
    expect(canonicalDecimal(text, { precision: 5, scale: 2 }) !== undefined).toBe(fits),
  );
});

const number = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.option(fc.stringMatching(/^0{0,3}\d{1,12}0{0,3}$/)),
      fc.option(fc.integer({ min: -25, max: 40 })),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    );

describe('against decimal.js', () => {
  it('has the same value in plain notation', () =>
    fc.assert(
      fc.property(number(), (text) => {
        const exact = new Exact(text);
        const plain = exact.isZero() ? '0' : exact.toFixed();
        const fits = exact.decimalPlaces() <= 37 && exact.abs().lt(new Exact(10).pow(76));
        expect(canonicalDecimal(text)).toBe(fits ? plain : undefined);
      }),
    ));

  it('orders by value', () =>
    fc.assert(
      fc.property(number(), number(), (first, second) => {
        const [a, b] = [canonicalDecimal(first), canonicalDecimal(second)];
        fc.pre(a !== undefined && b !== undefined);
        expect(Math.sign(compareDecimals(a, b))).toBe(new Exact(first).cmp(second) + 0);
      }),
    ));
});

it.each([
  ['1', '1', 0],
  ['9', '10', -1],
  ['-9', '-10', 1],
  ['-1', '1', -1],
  ['0', '-1', 1],
  ['1.5', '1.55', -1],
  ['1', '1.5', -1],
  ['-1', '-1.5', 1],
  ['0.09', '0.1', -1],
])('%s compared with %s is %i', (a, b, order) =>
  expect(Math.sign(compareDecimals(a, b))).toBe(order),
);
