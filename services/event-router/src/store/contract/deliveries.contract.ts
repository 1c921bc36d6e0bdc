import type { Ending, StoredDelivery } from '../changes';
import {
  acquired,
  changesOf,
  LANE,
  OTHER_LANE,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from './changes.fixture';
import { DEAD_LETTER_DAYS, type StoreHarness } from './store-harness';

const DAY_MS = 86_400_000;
const MANY = { rows: 100, maxBytes: 1_000_000 };
const REJECTED: Ending = { state: 'Rejected', step: 'Finalize', code: '404', reason: 'not found' };
const DELIVERED: Ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' };
const dead = (given: Partial<StoredDelivery>): StoredDelivery =>
  storedDelivery({ state: 'Rejected', step: 'Finalize', code: '404', ...given });

/** Waiting deliveries and dead letters have a row, with the body of their event. */
export const itKeepsDeliveries = ({ open, pass, stored }: StoreHarness): void => {
  it('pages through the waiting deliveries of a key, in order', async () => {
    const store = await open('one');
    const rows = [0, 1, 2].flatMap((offset) =>
      [PIPELINE, OTHER_PIPELINE].map((pipeline) => storedDelivery({ offset, pipeline })),
    );
    const others = [
      storedDelivery({ offset: 5, orderKey: 'other' }),
      storedDelivery({ offset: 6, lane: OTHER_LANE }),
      dead({ offset: 7 }),
    ];
    const grant = await acquired(store);
    await store.commit([changesOf(grant, 1, { stored: [...others, ...rows].reverse() })]);
    const page = (after: StoredDelivery | null, limit: number) =>
      store.waiting(0, LANE, 'source/user', after, { ...MANY, rows: limit });
    expect(await page(null, 4)).toEqual(rows.slice(0, 4));
    expect(await page(rows[3]!, 4)).toEqual(rows.slice(4));
    expect(await page(rows[2]!, 1)).toEqual(rows.slice(3, 4));
    expect(await page(rows[5]!, 4)).toEqual([]);
    expect(await store.waiting(1, LANE, 'source/user', null, MANY)).toEqual([]);
  });

  it('ends a page with the row that reaches the limit of bytes, after one row at least', async () => {
    const store = await open('one');
    const rows = [0, 1, 2, 3].map((offset) =>
      storedDelivery({ offset, body: '\u00e9'.repeat(500) }),
    );
    await store.commit([changesOf(await acquired(store), 1, { stored: rows })]);
    const count = async (maxBytes: number): Promise<number> =>
      (await store.waiting(0, LANE, 'source/user', null, { rows: 100, maxBytes })).length;
    expect(await count(1)).toBe(1);
    expect(await count(1_000)).toBe(1);
    expect(await count(1_001)).toBe(2);
    expect(await count(3_000)).toBe(3);
    expect(await count(3_001)).toBe(4);
  });

  it('postpones and settles rows: a dead letter is kept, after any other ending the row is removed', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const rows = [0, 1, 2, 3].map((offset) => storedDelivery({ offset }));
    await store.commit([changesOf(grant, 1, { stored: rows })]);
    const later = { attempts: 5, dueMs: 9_000, reason: 'again' };
    await store.commit([
      changesOf(grant, 2, {
        postponed: [{ offset: 0, pipeline: PIPELINE, ...later }],
        settled: [
          { offset: 1, pipeline: PIPELINE, ending: REJECTED },
          { offset: 2, pipeline: PIPELINE, ending: DELIVERED },
          {
            offset: 3,
            pipeline: PIPELINE,
            ending: { ...REJECTED, state: 'Parked', code: 'Deleted' },
          },
        ],
      }),
    ]);
    expect((await stored()).rows).toEqual([
      { ...rows[0], ...later, partition: 0 },
      { ...rows[1], ...REJECTED, partition: 0 },
      { ...rows[3], ...REJECTED, state: 'Parked', code: 'Deleted', partition: 0 },
    ]);
    expect(await store.waiting(0, LANE, 'source/user', null, MANY)).toEqual([
      { ...rows[0], ...later },
    ]);
  });

  it('settles in the commit that stored the row', async () => {
    const store = await open('one');
    await store.commit([
      changesOf(await acquired(store), 1, {
        stored: [storedDelivery()],
        settled: [{ offset: 0, pipeline: PIPELINE, ending: DELIVERED }],
      }),
    ]);
    expect((await stored()).rows).toEqual([]);
  });

  it('pages through the bodies of dead letters, each event once', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const body = 'another';
    await store.commit([
      changesOf(grants[0]!, 1, {
        stored: [
          dead({ offset: 4 }),
          dead({ offset: 4, pipeline: OTHER_PIPELINE }),
          storedDelivery({ offset: 5 }),
          dead({ offset: 6, state: 'Parked' }),
        ],
      }),
      changesOf(grants[1]!, 1, { stored: [dead({ offset: 2, body })] }),
    ]);
    const start = { partition: -1, offset: 0 };
    const first = await store.keptBodies(start, 2);
    expect(first).toEqual([
      { partition: 0, offset: 4, body: '{"event":"E"}' },
      { partition: 0, offset: 6, body: '{"event":"E"}' },
    ]);
    expect(await store.keptBodies(first[1]!, 2)).toEqual([{ partition: 1, offset: 2, body }]);
  });

  it('erases dead letters, and the body with the last of its deliveries', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const waits = storedDelivery({ offset: 4, pipeline: OTHER_PIPELINE });
    await store.commit([
      changesOf(grant, 1, {
        stored: [dead({ offset: 4 }), waits, dead({ offset: 5 }), dead({ offset: 6 })],
      }),
    ]);
    await store.erase([4, 5].map((offset) => ({ partition: 0, offset })));
    expect((await stored()).rows.map(({ offset }) => offset)).toEqual([4, 6]);
    expect(await store.waiting(0, LANE, 'source/user', null, MANY)).toEqual([waits]);
    expect(await store.keptBodies({ partition: -1, offset: 0 }, 9)).toMatchObject([{ offset: 6 }]);
  });

  it('removes dead letters after their retention, and no waiting delivery', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const waits = storedDelivery({ offset: 1 });
    const unreadable = { offset: 9, orderKey: 'k', value: 'v', reason: 'r' };
    await store.commit([
      changesOf(grant, 1, { stored: [dead({ offset: 0 }), waits], unreadable: [unreadable] }),
    ]);
    await pass(DEAD_LETTER_DAYS * DAY_MS - 60_000);
    await store.sweep();
    expect((await stored()).rows).toHaveLength(2);
    expect((await stored()).unreadable).toEqual([{ ...unreadable, partition: 0 }]);
    await pass(120_000);
    await store.sweep();
    expect((await stored()).rows).toEqual([{ ...waits, partition: 0 }]);
    expect((await stored()).unreadable).toEqual([]);
    await store.ping();
  });

  it('stores an unreadable record once for each reason', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const record = { offset: 9, orderKey: 'k', value: 'v', reason: 'r' };
    const other = { ...record, reason: 'removed before a lane was given it' };
    await store.commit([changesOf(grant, 1, { unreadable: [record] })]);
    await store.commit([changesOf(grant, 2, { unreadable: [{ ...record, value: 'w' }, other] })]);
    expect((await stored()).unreadable).toEqual([
      { ...record, partition: 0 },
      { ...other, partition: 0 },
    ]);
  });
};
