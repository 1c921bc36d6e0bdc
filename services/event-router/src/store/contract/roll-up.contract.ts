import type { ConnectionId } from '@penstock/contracts';
import fc from 'fast-check';
import {
  type BaseKind,
  baseKey,
  type Counted,
  countKey,
  type PartitionChanges,
  sourceKey,
  timesKey,
} from '../changes';
import type { RouterStore } from '../router-store';
import { acquired, AUDIENCE, changesOf, OTHER_PIPELINE, PIPELINE } from './changes.fixture';
import type { StoreHarness } from './store-harness';
import { RANDOM } from '../../testing/random.fixture';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SOURCE = 'source00000000a' as ConnectionId;
const AUDIENCES = [{ id: AUDIENCE, enabled: [PIPELINE], disabled: [OTHER_PIPELINE] }];

const COUNTED: readonly Counted[] = [
  { state: 'Matched', step: 'Filter', code: '' },
  { state: 'Delivered', step: 'Finalize', code: '' },
  { state: 'Rejected', step: 'Finalize', code: '404' },
  { state: 'Filtered', step: 'Filter', code: 'OptedOut' },
];
const KINDS: readonly BaseKind[] = ['New', 'Duplicate', 'DifferentBody', 'Suppressed'];

/** A change of all counts at one time. */
interface Delta {
  readonly ageMs: number;
  readonly index: number;
  /** Negative when an earlier count is corrected. */
  readonly count: number;
}

const changed = (deltas: readonly Delta[], nowMs: number): Partial<PartitionChanges> => {
  const counts = new Map<string, number>();
  const bases = new Map<string, number>();
  const sources = new Map<string, number>();
  const times = new Map<string, { retries: number; latencies: Map<number, number> }>();
  const add = (map: Map<string, number>, key: string, count: number) =>
    map.set(key, (map.get(key) ?? 0) + count);
  for (const { ageMs, index, count } of deltas) {
    const atMs = nowMs - ageMs;
    const kind = KINDS[index % KINDS.length]!;
    const pipeline = index % 2 === 0 ? PIPELINE : OTHER_PIPELINE;
    add(counts, countKey(pipeline, COUNTED[index % COUNTED.length]!, atMs), count);
    add(bases, baseKey(AUDIENCE, kind, atMs), Math.abs(count));
    add(sources, sourceKey(SOURCE, kind, atMs), Math.abs(count));
    const key = timesKey(pipeline, atMs);
    const before = times.get(key);
    const retries = before?.retries ?? 0;
    const latencies = before?.latencies ?? new Map<number, number>();
    times.set(key, { retries: retries + 1, latencies: latencies.set(index, Math.abs(count)) });
  }
  return { counts, bases, sources, times, audiences: AUDIENCES };
};

const rolledUp = async (store: RouterStore, rows = 1_000): Promise<number> => {
  for (let calls = 1; calls < 1_000; calls += 1) if (!(await store.rollUp(rows))) return calls;
  throw new Error('the roll-up does not end');
};

/** Counts of past minutes are merged into hours and days; no sum changes. */
export const itRollsUp = ({ open, stored, nowMs, pass }: StoreHarness, runs: number): void => {
  /** All sums, with minutes as the hours or days that contain them. */
  const sums = async (spanMinutes: number) => {
    const { counts, sources, times } = await stored();
    const begin = (minute: number): number => minute - (minute % spanMinutes);
    const ofSources = new Map<string, number>();
    for (const { source, kind, minute, count } of sources) {
      const key = `${source} ${kind} ${begin(minute)}`;
      ofSources.set(key, (ofSources.get(key) ?? 0) + count);
    }
    const ofTimes = new Map<string, number>();
    for (const { pipeline, minute, retries, latencies } of times)
      for (const [name, count] of [['retries', retries] as const, ...latencies]) {
        const key = `${pipeline} ${begin(minute)} ${name}`;
        ofTimes.set(key, (ofTimes.get(key) ?? 0) + count);
      }
    return { counts, sources: new Map([...ofSources].sort()), times: new Map([...ofTimes].sort()) };
  };

  /** Minutes of the counts of sources, by age in minutes. */
  const minutes = async (): Promise<number[]> =>
    [...new Set((await stored()).sources.map(({ minute }) => minute))].sort((a, b) => b - a);

  it('keeps minutes for two days, hours for 60 days, and days', async () => {
    const store = await open('one');
    const now = await nowMs();
    const ages = [0, 10 * MINUTE_MS, 2 * DAY_MS, 3 * DAY_MS, 60 * DAY_MS, 62 * DAY_MS];
    const deltas = ages.map((ageMs) => ({ ageMs, index: 0, count: 1 }));
    await store.commit([changesOf(await acquired(store), 1, changed(deltas, now))]);
    await rolledUp(store);
    const begin = (ageMs: number, spanMs: number): number =>
      (Math.floor((now - ageMs) / spanMs) * spanMs) / MINUTE_MS;
    expect(await minutes()).toEqual([
      ...ages.slice(0, 3).map((ageMs) => begin(ageMs, MINUTE_MS)),
      ...ages.slice(3, 5).map((ageMs) => begin(ageMs, HOUR_MS)),
      begin(62 * DAY_MS, DAY_MS),
    ]);
  });

  it('merges what has become old, and what is counted late', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const hour = Math.floor((await nowMs()) / HOUR_MS) * HOUR_MS;
    const inHour = [0, 1, 59].map((at) => sourceKey(SOURCE, 'New', hour + at * MINUTE_MS));
    const of = (key: string) => ({ sources: new Map([[key, 1]]) });
    await store.commit([changesOf(grant, 1, of(inHour[0]!))]);
    await store.commit([changesOf(grant, 2, of(inHour[1]!))]);
    await pass(3 * DAY_MS);
    const past = (hour - 3 * DAY_MS) / MINUTE_MS;
    await rolledUp(store);
    const row = { source: SOURCE, kind: 'New' };
    const isAged = (await stored()).sources[0]?.minute === past;
    const first = isAged ? past : hour / MINUTE_MS;
    expect((await stored()).sources).toEqual([{ ...row, minute: first, count: 2 }]);
    const late = sourceKey(SOURCE, 'New', (first + 59) * MINUTE_MS);
    await store.commit([changesOf(grant, 3, of(late))]);
    await rolledUp(store);
    expect((await stored()).sources).toEqual([{ ...row, minute: first, count: 3 }]);
  });

  it('moves at most the given number of rows at once, and says when there is nothing more', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const now = await nowMs();
    // Within hours, not at their beginnings, where there is nothing to move.
    const halfPast = now - (now % HOUR_MS) + HOUR_MS / 2;
    const late = Array.from({ length: 6 }, (_, index) => ({
      ageMs: now - halfPast + 3 * DAY_MS + index * HOUR_MS,
      index: 0,
      count: 1,
    }));
    await store.commit([changesOf(grant, 1, changed(late, now))]);
    expect(await rolledUp(store, 2)).toBeGreaterThanOrEqual(3);
    expect(await store.rollUp(2)).toBe(false);
  });

  it('changes no sum, whatever was counted when, in slices of any length', async () => {
    const delta = fc.record({
      ageMs: fc.oneof(
        fc.integer({ min: 0, max: 3 * DAY_MS }),
        fc.integer({ min: 0, max: 130 * DAY_MS }),
      ),
      index: fc.nat(7),
      count: fc.integer({ min: -3, max: 20 }),
    });
    const rounds = fc.array(
      fc.record({ deltas: fc.array(delta, { maxLength: 12 }), slices: fc.nat(4) }),
      { minLength: 1, maxLength: 4 },
    );
    const now = await nowMs();
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 1, max: 9 }), async (all, rows) => {
        for (const { deltas, slices } of all) {
          sequence += 1;
          await store.commit(
            grants.map((grant) => changesOf(grant, sequence, changed(deltas, now))),
          );
          const [before, beforeOfDays] = [await sums(24 * 60), (await stored()).counts];
          for (let slice = 0; slice < slices; slice += 1) await store.rollUp(rows);
          expect(await sums(24 * 60)).toEqual(before);
          expect((await stored()).counts).toEqual(beforeOfDays);
        }
      }),
      { ...RANDOM, numRuns: runs, endOnFailure: true },
    );
    const before = await sums(24 * 60);
    await rolledUp(store);
    expect(await sums(24 * 60)).toEqual(before);
    // Each sequence of commits adds to the sums that are compared.
  }, 120_000);
};
