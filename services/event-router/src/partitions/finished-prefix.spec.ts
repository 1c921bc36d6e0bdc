import fc from 'fast-check';
import { FinishedPrefix } from './finished-prefix';

describe('the finished prefix', () => {
  it('moves over offsets that finish in order', () => {
    const prefix = new FinishedPrefix(5);
    prefix.finish(5);
    prefix.finish(6);
    expect(prefix.next).toBe(7);
    expect(prefix.beyond).toEqual([]);
  });

  it('stays before the first unfinished offset and remembers what is beyond', () => {
    const prefix = new FinishedPrefix(0);
    for (const offset of [2, 3, 5]) prefix.finish(offset);
    expect(prefix.next).toBe(0);
    expect(prefix.beyond).toEqual([
      { start: 2, end: 4 },
      { start: 5, end: 6 },
    ]);
    prefix.finish(0);
    prefix.finish(1);
    expect(prefix.next).toBe(4);
    expect(prefix.beyond).toEqual([{ start: 5, end: 6 }]);
  });

  it('takes offsets that the log skipped as finished', () => {
    const prefix = new FinishedPrefix(0);
    prefix.finishRange(0, 10);
    expect(prefix.next).toBe(10);
  });

  it('equals a set of offsets, whatever the order in which they finish, also over a restart', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(Array.from({ length: 60 }, (_, offset) => offset)),
        fc.nat(60),
        (order, crash) => {
          const before = order.slice(0, crash);
          const after = order.slice(crash);
          const first = new FinishedPrefix(0);
          for (const offset of before) first.finish(offset);
          const second = new FinishedPrefix(first.next, first.beyond);
          for (const offset of after) second.finish(offset);
          const finished = new Set([...before, ...after]);
          for (let offset = 0; offset <= 61; offset += 1)
            expect(second.has(offset)).toBe(finished.has(offset));
          expect(finished.has(second.next)).toBe(false);
        },
      ),
    );
  });
});
