import fc from 'fast-check';
import { numberKey, numberOrder } from './number-order';

const order = (text: string, operand: string): number =>
  Math.sign(numberOrder(operand)?.(text) ?? NaN);

it.each<[text: string, operand: string, expected: number]>([
  ['5', '5', 0],
  ['5.0', '5', 0],
  ['5', '5e0', 0],
  ['500e-2', '5', 0],
  ['-0', '0', 0],
  ['0e7', '-0.00', 0],
  ['0', '-1', 1],
  ['-1', '0', -1],
  ['9', '10', -1],
  ['-9', '-10', 1],
  ['-1', '1', -1],
  ['0.1', '0.10000000000000001', -1],
  ['9007199254740993', '9007199254740992', 1],
  ['12345678901234567890.10', '12345678901234567890.1', 0],
  ['1e400', '1e401', -1],
  ['-1e400', '1e400', -1],
  ['1e-400', '0', 1],
  ['1e-400', '1e-401', 1],
  ['1e400', `1${'0'.repeat(400)}`, 0],
  ['1e9999999999999999999999', '1e9999999999999999999998', 1],
  ['0e9999999999999999999999', '0', 0],
  [`0.${'0'.repeat(30_000)}1`, '1', -1],
  ['1'.repeat(30_000), `${'1'.repeat(29_999)}2`, -1],
])('%p to %p is %d', (text, operand, expected) => {
  expect(order(text, operand)).toBe(expected);
});

it.each(['', 'NaN', 'Infinity', ' 5', '05', '.5', '5.', '+5', '0x1F', '1_0', '1e', 'abc', '5\n'])(
  '%p is no number',
  (operand) => {
    expect(numberOrder(operand)).toBeUndefined();
  },
);

it.each(['0', '9', '1234567890123456'])('an empty text cannot be compared with %s', (operand) => {
  expect(order('', operand)).toBeNaN();
});

const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 18 });

const numberText = fc
  .record({
    negative: fc.boolean(),
    whole: fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 18n }).map(String)),
    fraction: fc.option(digits.map((each) => each.join(''))),
    exponent: fc.option(fc.integer({ min: -20, max: 20 })),
  })
  .map(
    ({ negative, whole, fraction, exponent }) =>
      `${negative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  );

/** The number times 10^40: a whole number, for all that the generator makes. */
const scaled = (text: string): bigint => {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(40 - fraction.length + Number(exponent));
};

/** A number that is often the same as another one, written otherwise or with the other sign. */
const likeNumber = fc
  .record({
    sign: fc.constantFrom('', '-'),
    digits: fc.constantFrom('0', '1', '10', '12', '1.2', '1.20', '0.12', '120'),
    exponent: fc.constantFrom('', 'e0', 'E1', 'e+1', 'e-1', 'e2', 'e-2'),
  })
  .map(({ sign, digits: text, exponent }) => `${sign}${text}${exponent}`);

it('has the same key for two numbers exactly when they are equal', () => {
  fc.assert(
    fc.property(likeNumber, likeNumber, (left, right) => {
      expect(numberKey(left) === numberKey(right)).toBe(order(left, right) === 0);
    }),
    { numRuns: 2_000 },
  );
  expect(numberKey('1.')).toBeUndefined();
});

it('orders as the numbers do', () => {
  fc.assert(
    fc.property(numberText, numberText, (left, right) => {
      const [a, b] = [scaled(left), scaled(right)];
      expect(order(left, right)).toBe(a < b ? -1 : Number(a > b));
    }),
    { numRuns: 1000 },
  );
});
