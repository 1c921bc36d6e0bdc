import fc from 'fast-check';
import { floatText, LARGEST_FLOAT, parseFloatText } from './float';

const float32 = (): fc.Arbitrary<number> => fc.float({ noNaN: true, noDefaultInfinity: true });

/** Digits without sign, point, exponent and outer zeros. */
const significant = (text: string): number =>
  text
    .replace(/e.*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '').length;

describe('text', () => {
  it.each([
    [1e21, 64, '1e+21'],
    [1e-7, 64, '1e-7'],
    [123456789.125, 64, '123456789.125'],
    [0.1, 64, '0.1'],
    [5e-324, 64, '5e-324'],
    [-0, 64, '0'],
    [NaN, 64, 'NaN'],
    [-Infinity, 32, '-Infinity'],
    [Infinity, 32, 'Infinity'],
    [-0, 32, '0'],
    [16777216, 32, '16777216'],
    [Math.fround(16777219), 32, '16777220'],
    [Math.fround(123456789), 32, '123456790'],
    [Math.fround(0.1), 32, '0.1'],
    [Math.fround(-1.1), 32, '-1.1'],
    [Math.fround(3.4028235e38), 32, '3.4028235e+38'],
    [2 ** -149, 32, '1e-45'],
    [2 ** -126, 32, '1.1754944e-38'],
    [2 ** -44, 32, '5.684342e-14'],
    [2 ** 87, 32, '1.5474251e+26'],
    [2924427.25, 32, '2924427.2'],
    [-2175463.75, 32, '-2175463.8'],
    [274476.375, 32, '274476.38'],
  ] as const)('%d of %i bits is %s', (value, bits, text) =>
    expect(floatText(value, bits)).toBe(text),
  );

  it('reads back to the same 32-bit value, and with a digit less would not', () =>
    fc.assert(
      fc.property(float32(), (value) => {
        const text = floatText(value, 32);
        expect(parseFloatText(text, 32)).toBe(value + 0);
        const digits = significant(text);
        fc.pre(digits > 1);
        const shorter = value.toPrecision(digits - 1);
        expect(Math.fround(Number(shorter))).not.toBe(value);
      }),
      { numRuns: 300 },
    ));
});

describe('reading', () => {
  /** The middle between 1 and the 32-bit float after it. */
  const MIDDLE = '1.000000059604644775390625';

  it.each([
    [MIDDLE, 1],
    [`${MIDDLE}0000000000000000000000000000001`, 1 + 2 ** -23],
    ['1.00000017881393432617187499999999999999', 1 + 2 ** -23],
    ['1.000000178813934326171875', 1 + 2 ** -22],
    ['-1.0000000596046447753906250001', -1 - 2 ** -23],
    ['16777217', 16777216],
    ['16777217.0000000000000000000000001', 16777218],
    ['7.006492321624085e-46', 0],
    ['7.0064923216240853546186479164495806564013097093825788587853e-46', 0],
    ['7.0064923216240853546186479164495806564013097093825788587854e-46', 2 ** -149],
    ['1e-400', 0],
    ['-1e-400', 0],
    ['3.4028235677973366e38', LARGEST_FLOAT[32]],
    ['3.4028235677973367e38', undefined],
    ['340282356779733661637539395458142568447.9999', LARGEST_FLOAT[32]],
    ['340282356779733661637539395458142568448', undefined],
    ['-340282356779733661637539395458142568447.9999', -LARGEST_FLOAT[32]],
    ['1e39', undefined],
    ['1e400', undefined],
  ])('%s to 32 bits is %d', (text, value) => expect(parseFloatText(text, 32)).toBe(value));

  it.each([
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['1.7976931348623159e308', undefined],
    ['-1e309', undefined],
    ['-0', 0],
    ['3e-324', 5e-324],
    ['2e-324', 0],
  ])('%s to 64 bits is %d', (text, value) => expect(parseFloatText(text, 64)).toBe(value));

  /** `mantissa × 10^exponent` compared with a double, by integer arithmetic. */
  const distance = (mantissa: bigint, exponent: number, double: number): bigint => {
    const scaled = BigInt(double * 2 ** 149) * 10n ** 60n;
    const exact = mantissa * 2n ** 149n * 10n ** BigInt(60 + exponent);
    return exact < scaled ? scaled - exact : exact - scaled;
  };

  it('gives the nearest 32-bit float', () =>
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        fc.integer({ min: -60, max: 15 }),
        (mantissa, exponent) => {
          const value = parseFloatText(`${mantissa}e${exponent}`, 32) ?? NaN;
          const bits = new Int32Array(Float32Array.of(value).buffer)[0] ?? 0;
          const neighbours = [bits - 1, bits + 1]
            .filter((each) => each >= 0)
            .map((each) => new Float32Array(Int32Array.of(each).buffer)[0] ?? NaN);
          const own = distance(mantissa, exponent, value);
          for (const neighbour of neighbours)
            expect(own <= distance(mantissa, exponent, neighbour)).toBe(true);
        },
      ),
      { numRuns: 500 },
    ));
});
