import fc from 'fast-check';
import type { StoredFact } from './event-store';
import { SLICE_CHARACTERS, SLICE_FACTS, slicesOf } from './fact-slices';

/** A fact whose state has about so many characters. */
const factOf = (position: number, length: number): StoredFact =>
  ({
    position,
    data: {},
    state: { text: 'x'.repeat(length) },
  }) as Partial<StoredFact> as StoredFact;

const shapeOf = (lengths: readonly number[]): number[][] =>
  Array.from(slicesOf(lengths.map((length, at) => factOf(at, length))), (slice) =>
    slice.map(({ fact }) => fact.position),
  );

it('writes few facts at once', () => {
  expect(shapeOf([])).toEqual([]);
  expect(shapeOf([1])).toEqual([[0]]);
  expect(shapeOf(Array(SLICE_FACTS).fill(1))).toHaveLength(1);
  expect(shapeOf(Array(SLICE_FACTS + 1).fill(1)).map(({ length }) => length)).toEqual([
    SLICE_FACTS,
    1,
  ]);
});

it('writes a fact that is larger than a slice by itself', () => {
  expect(shapeOf([10, SLICE_CHARACTERS, 10])).toEqual([[0], [1], [2]]);
});

it('leaves none out, keeps their order, and has no slice that is too large, or that has room for the next fact', () => {
  const third = Math.floor(SLICE_CHARACTERS / 3);
  const lengths = fc.array(fc.nat({ max: third * 2 }), { maxLength: 30 });
  fc.assert(
    fc.property(lengths, (all) => {
      const facts = all.map((length, at) => factOf(at, length));
      const slices = [...slicesOf(facts)];
      const sizes = slices.map((slice) =>
        slice.reduce((sum, { data, state }) => sum + data.length + state.length, 0),
      );
      expect(slices.flat().map(({ fact }) => fact)).toEqual(facts);
      for (const each of slices.flat()) expect(JSON.parse(each.state)).toEqual(each.fact.state);
      for (const size of sizes) expect(size).toBeLessThanOrEqual(SLICE_CHARACTERS);
      slices.slice(1).forEach(([next], at) => {
        const more = next!.data.length + next!.state.length;
        expect(sizes[at]! + more).toBeGreaterThan(SLICE_CHARACTERS);
      });
    }),
    { numRuns: 30 },
  );
});
