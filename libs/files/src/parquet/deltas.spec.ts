import fc from 'fast-check';
import { ByteWriter } from 'hyparquet-writer';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { Deltas } from './deltas';
import { viewOf } from './hybrid';

const all32 = (bytes: Uint8Array, count: number): number[] => {
  const deltas = new Deltas(viewOf(bytes), 0, count);
  let value = 0;
  return Array.from({ length: count }, () => (value = deltas.next32(value)));
};

const all64 = (bytes: Uint8Array, count: number): bigint[] => {
  const deltas = new Deltas(viewOf(bytes), 0, count);
  let value = 0n;
  return Array.from({ length: count }, () => (value = deltas.next64(value)));
};

const packed = (values: Int32Array | BigInt64Array): Uint8Array => {
  const writer = new ByteWriter();
  deltaBinaryPack(writer, values, values instanceof Int32Array ? 'INT32' : 'INT64');
  return writer.getBytes();
};

it('numbers of 32 bits are those that were written', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 300 }), (values) => {
      expect(all32(packed(Int32Array.from(values)), values.length)).toEqual(values);
    }),
  );
});

it('numbers of 64 bits are those that were written', () => {
  const number = fc.oneof(fc.bigInt(-100n, 100n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 300 }), (values) => {
      expect(all64(packed(BigInt64Array.from(values)), values.length)).toEqual(values);
    }),
  );
});

it('random bytes are numbers or an error, and nothing behind them is read', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.integer({ min: 1, max: 500 }),
      (bytes, count) => {
        try {
          expect(all64(bytes, count)).toHaveLength(count);
        } catch (error) {
          expect(String(error)).toMatch(/^(Damaged|RangeError: Offset)/);
        }
      },
    ),
  );
});

it.each([
  ['no miniblocks', [128, 1, 0, 5, 0]],
  ['blocks of nothing', [0, 1, 5, 0]],
  // Less than none, for who takes numbers of 32 bits for such with a sign.
  ['4,294,967,295 miniblocks', [128, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 5, 0, 0]],
  ['miniblocks of no whole bytes', [128, 1, 32, 5, 0]],
])('%s are refused', (_, bytes) => {
  expect(() => new Deltas(viewOf(Uint8Array.from(bytes)), 0, 5)).toThrow(
    'a block of differences cannot be',
  );
});

it.each([
  ['a first number', [128, 1, 1, 5, ...Array<number>(10).fill(0x80), 1], 'a number is too long'],
  ['a difference', [128, 1, 1, 5, 0, ...Array<number>(10).fill(0x80), 1], 'a number is too long'],
  ['a width', [128, 1, 1, 5, 0, 0, 65], 'numbers are too wide'],
])('%s that is too long is refused', (_, bytes, message) => {
  expect(() => all64(Uint8Array.from(bytes), 5)).toThrow(message);
});
