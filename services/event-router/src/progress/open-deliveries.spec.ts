import type { PipelineId } from '@penstock/contracts';
import fc from 'fast-check';
import type { OpenDelivery } from '../store/changes';
import { OpenDeliveries, type OpenEntry } from './open-deliveries';

const keyOf = ({ offset, pipeline }: Pick<OpenDelivery, 'offset' | 'pipeline'>): string =>
  `${String(offset)}/${pipeline}`;

type Step =
  | { readonly kind: 'open'; readonly offset: number }
  | { readonly kind: 'try' | 'close'; readonly index: number }
  | { readonly kind: 'commit'; readonly afterMs: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('open' as const), offset: fc.nat(1_000) }),
    fc.record({ kind: fc.constantFrom('try' as const, 'close' as const), index: fc.nat(20) }),
    fc.record({ kind: fc.constant('commit' as const), afterMs: fc.nat(4_000) }),
  ),
  { maxLength: 200 },
);

/** Applies a commit, as a store does. */
const fold = (stored: Map<string, OpenDelivery>, open: OpenDeliveries, nowMs: number): void => {
  const { open: opened, closed, snapshot } = open.take(nowMs);
  for (const each of opened) stored.set(keyOf(each), each);
  for (const each of closed) {
    expect(stored.has(keyOf(each))).toBe(true);
    stored.delete(keyOf(each));
  }
  if (snapshot !== null)
    expect(new Map(snapshot.map((each) => [keyOf(each), each]))).toEqual(stored);
};

it('writes open deliveries, and none that ends between two commits', () => {
  fc.assert(
    fc.property(steps, (all: readonly Step[]) => {
      const open = new OpenDeliveries(0, 0);
      const live: OpenEntry[] = [];
      const stored = new Map<string, OpenDelivery>();
      let nowMs = 0;
      let number = 0;
      for (const step of all)
        if (step.kind === 'open') {
          number += 1;
          const pipeline = `p${String(number)}` as PipelineId;
          const entry = { offset: step.offset, pipeline, version: 1, attempts: 0, dueMs: 0 };
          live.push(entry);
          open.open(entry);
        } else if (step.kind === 'commit') {
          nowMs += step.afterMs;
          fold(stored, open, nowMs);
        } else {
          const entry = live[step.index];
          if (entry === undefined) continue;
          if (step.kind === 'close') {
            live.splice(step.index, 1);
            expect(open.close(entry)).toBe(true);
            expect(open.close(entry)).toBe(false);
          } else {
            entry.attempts += 1;
            open.tried(entry);
          }
        }
      fold(stored, open, nowMs);
      expect(stored).toEqual(new Map(live.map((each) => [keyOf(each), { ...each }])));
      expect(open.size).toBe(live.length);
    }),
  );
});

it('writes a delivery again when it was tried since', () => {
  const open = new OpenDeliveries(1_000, 0);
  const pipeline = 'p' as PipelineId;
  const entry = { offset: 1, pipeline, version: 1, attempts: 0, dueMs: 0 };
  open.open(entry);
  expect(open.take(0).open).toEqual([entry]);
  entry.attempts = 1;
  open.tried(entry);
  expect(open.take(0).open).toEqual([{ ...entry, attempts: 1 }]);
  expect(open.take(0).open).toEqual([]);
});

describe('of partitions that begin together', () => {
  const entry = { offset: 1, pipeline: 'p' as PipelineId, version: 1, attempts: 0, dueMs: 0 };
  let partitions: OpenDeliveries[];

  beforeEach(() => {
    partitions = Array.from({ length: 10 }, (_, number) => new OpenDeliveries(1_000, number));
  });

  /** Number of partitions that write a snapshot. */
  const snapshotsAt = (nowMs: number): number =>
    partitions.filter((each) => {
      each.open({ ...entry });
      return each.take(nowMs).snapshot !== null;
    }).length;

  it('writes a snapshot first, then every five seconds, each partition at its own time', () => {
    expect(snapshotsAt(1_000)).toBe(10);
    expect(snapshotsAt(1_499)).toBe(0);
    for (let nowMs = 1_500; nowMs <= 11_000; nowMs += 500) expect(snapshotsAt(nowMs)).toBe(1);
  });

  it('writes a snapshot with every 64th of frequent commits, no two partitions with the same one', () => {
    expect(snapshotsAt(1_000)).toBe(10);
    const counts = Array.from({ length: 10 * 64 }, () => snapshotsAt(1_001));
    expect(Math.max(...counts)).toBe(1);
    expect(counts.filter((count) => count === 1).length).toBeGreaterThanOrEqual(10 * 10);
  });
});
