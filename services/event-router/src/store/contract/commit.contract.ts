import type { ConnectionId } from '@penstock/contracts';
import { countKey, type PartitionChanges, sourceKey, timesKey } from '../changes';
import { CommitRefused, CommitsMissing } from '../router-store';
import {
  acquired,
  attemptRecord,
  changesOf,
  cursorAt,
  duplicateRecord,
  HASH,
  LANE,
  openDelivery,
  OTHER_PIPELINE,
  outcomeRecord,
  PIPELINE,
  storedDelivery,
} from './changes.fixture';
import type { StoreHarness } from './store-harness';

const delivered = countKey(PIPELINE, { state: 'Delivered', step: 'Finalize', code: '' }, 0);

/** Changes with entries in most lists. */
const full = (): Partial<PartitionChanges> => ({
  open: [openDelivery()],
  counts: new Map([[delivered, 1]]),
  sources: new Map([[sourceKey('source' as ConnectionId, 'New', 0), 1]]),
  times: new Map([[timesKey(PIPELINE, 0), { retries: 1, latencies: new Map([[5, 1]]) }]]),
  messages: new Map([[HASH, { digest: 'digest', offset: 0 }]]),
  stored: [storedDelivery({ pipeline: OTHER_PIPELINE })],
  cursors: [cursorAt({ position: 7 })],
  repeats: [{ offset: 0, differs: true }],
  unreadable: [{ offset: 1, orderKey: 'k', value: '{', reason: 'no JSON' }],
  outcomes: [outcomeRecord()],
  duplicates: [duplicateRecord()],
  attempts: [attemptRecord()],
});

const NOTHING = {
  rows: [],
  unreadable: [],
  outcomes: [],
  attempts: [],
  duplicates: [],
  messages: [],
  counts: [],
  audiences: [],
  sources: [],
  times: [],
  waiting: [],
};

/** A commit is applied completely, once, and only for the current owner. */
export const itCommitsOnce = ({ open, stored }: StoreHarness): void => {
  it('applies a commit that is repeated once', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const first = changesOf(grant, 1, full());
    expect(await store.commit([first])).toEqual([]);
    const state = await stored();
    const progress = await store.restore(grant);
    expect(await store.commit([first])).toEqual([]);
    expect(await stored()).toEqual(state);
    expect(await store.restore(grant)).toEqual(progress);
    expect(state).toMatchObject({
      rows: [{}],
      unreadable: [{}],
      outcomes: [{}],
      attempts: [{}],
      duplicates: [{}],
      messages: [{}],
    });
    expect(state.counts).toContainEqual({
      pipeline: PIPELINE,
      state: 'Delivered',
      code: '',
      count: 1,
    });
  });

  it('applies the new part of a commit of which another part was applied before', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const [a, b] = grants.map((grant) => changesOf(grant, 1, full()));
    await store.commit([b!]);
    expect(await store.commit([a!, b!])).toEqual([]);
    const { rows, counts } = await stored();
    expect(rows.map(({ partition }) => partition)).toEqual([0, 1]);
    expect(counts).toContainEqual({ pipeline: PIPELINE, state: 'Delivered', code: '', count: 2 });
  });

  it('writes no changes of a lost partition, and all changes of the others', async () => {
    const [store, other] = [await open('one'), await open('other')];
    const grants = await store.acquire([0, 1, 2]);
    await store.release([grants[1]!]);
    const taken = await acquired(other, 1);
    const commit = grants.map((grant) => changesOf(grant, 1, full()));
    expect(await store.commit(commit)).toEqual([1]);
    expect((await stored()).rows.map(({ partition }) => partition)).toEqual([0, 2]);
    expect((await stored()).outcomes.map(({ partition }) => partition)).toEqual([0, 2]);
    expect((await stored()).counts).toContainEqual(
      expect.objectContaining({ state: 'Delivered', count: 2 }),
    );
    expect(await other.restore(taken)).toMatchObject({ sequence: 0, open: [], cursors: [] });
    expect(await store.commit(commit)).toEqual([1]);
    expect(await store.commit([])).toEqual([]);
  });

  it('continues the sequence under the next owner', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const before = await acquired(one);
    await one.commit([changesOf(before, 1, { routed: 5 })]);
    await one.release([before]);
    const grant = await acquired(other);
    expect(await other.restore(grant)).toMatchObject({ sequence: 1, routed: 5 });
    expect(await other.commit([changesOf(grant, 2, { routed: 6 })])).toEqual([]);
    expect(await other.restore(grant)).toMatchObject({ sequence: 2, routed: 6 });
  });

  it('rejects a commit whose sequence does not follow the last one', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    await store.commit([changesOf(grant, 1), changesOf({ ...grant, partition: 0 }, 1)].slice(0, 1));
    await expect(store.commit([changesOf(grant, 3)])).rejects.toThrow(CommitsMissing);
    await store.commit([changesOf(grant, 2)]);
    await expect(store.commit([changesOf(grant, 1, full())])).rejects.toThrow(CommitsMissing);
    expect((await store.restore(grant)).sequence).toBe(2);
  });

  it('names the rows that the database refuses, and writes nothing', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const tooMany = storedDelivery({ offset: 3, attempts: 2 ** 31 });
    const good = storedDelivery({ offset: 2 });
    const bad = changesOf(grants[0]!, 1, { ...full(), stored: [good, tooMany] });
    await expect(store.commit([bad, changesOf(grants[1]!, 1, full())])).rejects.toThrow(
      CommitRefused,
    );
    expect(await stored()).toEqual(NOTHING);
    expect(await store.refusedRows(bad)).toEqual([{ offset: 3, pipeline: PIPELINE }]);
    expect(await stored()).toEqual(NOTHING);
    expect(await store.commit([{ ...bad, stored: [good] }])).toEqual([]);
  });

  it('refuses a second row of a delivery', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const row = storedDelivery({ state: 'Rejected', step: 'Finalize', code: '404' });
    await store.commit([changesOf(grant, 1, { stored: [row] })]);
    const again = changesOf(grant, 2, { stored: [row, storedDelivery({ offset: 1 })] });
    await expect(store.commit([again])).rejects.toThrow(CommitRefused);
    expect(await store.refusedRows(again)).toEqual([{ offset: 0, pipeline: PIPELINE }]);
    const twice = changesOf(grant, 2, {
      stored: [1, 1].map((offset) => storedDelivery({ offset })),
    });
    await expect(store.commit([twice])).rejects.toThrow(CommitRefused);
    expect((await stored()).rows).toEqual([{ ...row, partition: 0 }]);
  });

  it('remembers message ids, for every member', async () => {
    const [one, other] = [await open('one'), await open('other')];
    await one.commit([
      changesOf(await acquired(one), 1, {
        messages: new Map([[HASH, { digest: 'digest', offset: 0 }]]),
      }),
    ]);
    const unseen = HASH.replace('aa', 'bb');
    expect(await other.seen([unseen, HASH])).toEqual(new Map([[HASH, 'digest']]));
    expect(await other.seen([])).toEqual(new Map());
  });

  it('cleans texts that PostgreSQL does not accept', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const [foul, clean] = ['a\0\uD800b', 'a\uFFFD\uFFFDb'];
    await store.commit([
      changesOf(grant, 1, {
        stored: [
          storedDelivery({ orderKey: foul, reason: foul, body: foul, code: foul }),
          storedDelivery({ offset: 1 }),
          storedDelivery({ offset: 2 }),
        ],
        postponed: [{ offset: 1, pipeline: PIPELINE, attempts: 2, dueMs: 1_000, reason: foul }],
        settled: [
          {
            offset: 2,
            pipeline: PIPELINE,
            ending: { state: 'Rejected', step: 'Finalize', code: foul, reason: foul },
          },
        ],
        unreadable: [{ offset: 3, orderKey: foul, value: foul, reason: foul }],
        cursors: [cursorAt({ orderKey: foul })],
        outcomes: [outcomeRecord({ code: foul })],
        counts: new Map([
          [countKey(PIPELINE, { state: 'Rejected', step: 'Finalize', code: foul }, 0), 1],
        ]),
      }),
    ]);
    const text = JSON.stringify([await stored(), await store.restore(grant)]);
    expect(text).not.toContain('\\u0000');
    expect(text).not.toContain('\\ud800');
    expect(text.split(clean)).toHaveLength(15);
    expect(await store.waiting(0, LANE, foul, null, { rows: 9, maxBytes: 99 })).toHaveLength(1);
    await store.commit([changesOf(grant, 2, { droppedCursors: [{ lane: LANE, orderKey: foul }] })]);
    expect((await store.restore(grant)).cursors).toEqual([]);
  });
};
