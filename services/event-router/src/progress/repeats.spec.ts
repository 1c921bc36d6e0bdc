import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { BaseKind, Repeat } from '../store/changes';
import { PackedRepeats } from '../store/packed-repeats';
import { Repeats } from './repeats';

type Kind = Exclude<BaseKind, 'New'>;

const KINDS = ['Duplicate', 'DifferentBody', 'Suppressed'] as const;
const DIFFERS: Readonly<Record<Kind, boolean | null>> = {
  Duplicate: false,
  DifferentBody: true,
  Suppressed: null,
};

/** Bytes in use once unused memory is freed, on the heap and in buffers. */
const bytesInUse = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Repeats in a plain map, with which {@link Repeats} must agree. */
class Model {
  readonly byOffset = new Map<number, Kind>();
  private added: Repeat[] = [];

  add(offset: number, kind: Kind): void {
    this.byOffset.set(offset, kind);
    this.added.push({ offset, differs: DIFFERS[kind] });
  }

  take(from: number): readonly Repeat[] {
    for (const offset of this.byOffset.keys()) if (offset < from) this.byOffset.delete(offset);
    const added = this.added.filter(({ offset }) => offset >= from);
    this.added = [];
    return added;
  }
}

/** What comes between two commits: the number of unlike events before each repeat, and how far cursors move. */
const steps = fc.array(
  fc.record({
    added: fc.oneof(
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...KINDS)), { maxLength: 400 }),
      fc.array(fc.tuple(fc.nat(9_000), fc.constantFrom(...KINDS)), { maxLength: 8 }),
    ),
    passed: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 12 },
);
const starts = fc.constantFrom(0, 4_090, 2 ** 32 - 7);

it('knows what a plain map would know, also after it was restored', () => {
  fc.assert(
    fc.property(starts, steps, fc.nat(12), (start, commits, restart) => {
      const model = new Model();
      let repeats = new Repeats(new PackedRepeats());
      let [from, next] = [start, start];
      for (const [index, { added, passed }] of commits.entries()) {
        for (const [before, kind] of added) {
          next += before;
          model.add(next, kind);
          repeats.add(next, kind);
        }
        from = Math.floor(from + passed * (next - from));
        expect(repeats.take(from)).toEqual(model.take(from));
        const known = [...model.byOffset];
        if (index === restart)
          repeats = new Repeats(
            new PackedRepeats(known.map(([offset, kind]) => ({ offset, differs: DIFFERS[kind] }))),
          );
        const asked = [...known.map(([offset]) => offset), from - 1, next, next + 1];
        const near = asked.flatMap((each) => [each - 1, each, each + 4]);
        expect(near.map((offset) => `${offset} ${repeats.kindOf(offset)}`)).toEqual(
          near.map((offset) => `${offset} ${model.byOffset.get(offset) ?? 'New'}`),
        );
      }
    }),
    { numRuns: 150 },
  );
});

it.each([
  { every: 1, megabytes: 10 },
  { every: 40, megabytes: 40 },
])('keeps 2,000,000 repeats, one in $every events, in $megabytes MB', ({ every, megabytes }) => {
  const before = bytesInUse();
  const repeats = new Repeats(new PackedRepeats());
  for (let count = 0; count < 2_000_000; count += 1) {
    repeats.add(count * every, 'Duplicate');
    if (count % 1_000 === 999) repeats.take(0);
  }
  expect(bytesInUse() - before).toBeLessThan(megabytes * 1_000_000);
  expect(repeats.kindOf(1_999_999 * every)).toBe('Duplicate');
});
