import fc from 'fast-check';
import { Damaged, Runs, viewOf } from './hybrid';
import { varInt } from './parquet-file.fixture';

/** A run of one number, or numbers that are packed. */
type Run = { readonly value: number; readonly length: number } | readonly number[];

const packedBits = (numbers: readonly number[], width: number): number[] => {
  const bytes = Array<number>((numbers.length / 8) * width).fill(0);
  numbers.forEach((number, index) => {
    for (let bit = 0; bit < width; bit += 1) {
      const at = index * width + bit;
      if (Math.floor(number / 2 ** bit) % 2 === 1)
        bytes[at >>> 3] = (bytes[at >>> 3] ?? 0) | (1 << (at & 7));
    }
  });
  return bytes;
};

const isPacked = (run: Run): run is readonly number[] => Array.isArray(run);

const bytesOf = (runs: readonly Run[], width: number): number[] =>
  runs.flatMap((run) =>
    isPacked(run)
      ? [...varInt((run.length / 8) * 2 + 1), ...packedBits(run, width)]
      : [
          ...varInt(run.length * 2),
          ...Array.from(
            { length: Math.ceil(width / 8) },
            (_, byte) => Math.floor(run.value / 256 ** byte) % 256,
          ),
        ],
  );

const numbersOf = (runs: readonly Run[]): number[] =>
  runs.flatMap((run) =>
    isPacked(run) ? [...run] : Array.from({ length: run.length }, () => run.value),
  );

const written = fc.integer({ min: 0, max: 32 }).chain((width) => {
  const number = fc.nat(2 ** 31 - 1).map((value) => (value * 2 + (value % 2)) % 2 ** width);
  const run = fc.oneof(
    fc.record({ value: number, length: fc.integer({ min: 1, max: 20 }) }),
    fc
      .integer({ min: 1, max: 3 })
      .chain((groups) => fc.array(number, { minLength: groups * 8, maxLength: groups * 8 })),
  );
  return fc.record({ width: fc.constant(width), runs: fc.array(run, { maxLength: 6 }) });
});

it('numbers are those that were written, one by one and counted', () => {
  fc.assert(
    fc.property(written, ({ width, runs }) => {
      const view = viewOf(Uint8Array.from(bytesOf(runs, width)));
      const numbers = numbersOf(runs);
      const each = new Runs(view, width);
      expect(numbers.map(() => each.next())).toEqual(numbers);
      const [wanted = 0] = numbers;
      expect(new Runs(view, width).matches(wanted, numbers.length)).toBe(
        numbers.filter((number) => number === wanted).length,
      );
      expect(() => each.next()).toThrow(RangeError);
    }),
  );
});

it('goes on behind numbers that were counted', () => {
  const runs = new Runs(
    viewOf(
      Uint8Array.from(
        bytesOf(
          [
            { value: 3, length: 5 },
            { value: 1, length: 2 },
          ],
          2,
        ),
      ),
    ),
    2,
  );
  expect(runs.matches(3, 4)).toBe(4);
  expect([runs.next(), runs.next(), runs.next()]).toEqual([3, 1, 1]);
});

it('counts in a run of any length at once', () => {
  const runs = new Runs(viewOf(Uint8Array.from([...varInt(0xfffffffe), 1])), 1);
  expect(runs.matches(1, 2 ** 31 - 1)).toBe(2 ** 31 - 1);
});

it('an empty run, and numbers of more than 32 bits, are refused', () => {
  expect(() => new Runs(viewOf(Uint8Array.from([0, 0])), 1).next()).toThrow(Damaged);
  expect(() => new Runs(viewOf(Uint8Array.of()), 33)).toThrow(Damaged);
});
