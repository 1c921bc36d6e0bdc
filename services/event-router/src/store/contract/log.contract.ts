import { countKey } from '../changes';
import {
  acquired,
  changesOf,
  cursorAt,
  LANE,
  openDelivery,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from './changes.fixture';
import type { StoreHarness } from './store-harness';
import { NO_PROGRESS } from '../no-progress.fixture';

const MANY = { rows: 100, maxBytes: 1_000_000 };

/** Progress belongs to one log until `beginAnew` replaces it. */
export const itKnowsItsLog = ({ open, stored }: StoreHarness): void => {
  it('records the identity of the first log, and another one only with beginAnew', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const recorded = { identity: 'a', partitions: [] };
    expect(await one.log('a')).toEqual(recorded);
    expect(await other.log('b')).toEqual(recorded);
    expect(await other.beginAnew(recorded, 'b', [])).toBe(true);
    expect(await one.log('a')).toEqual({ identity: 'b', partitions: [] });
  });

  it('begins anew only when nothing was recorded since, so that only one of two routers does', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const mark = { offset: 8, timestampMs: 1, crc: 4_000_000_000 };
    await one.log('a');
    await one.commit([changesOf(await acquired(one, 1), 1, { routed: 9, mark })]);
    const before = await one.log('a');
    expect(before.partitions).toContainEqual({ partition: 1, routed: 9, mark });
    expect(await one.beginAnew(before, 'a', [5, 6])).toBe(true);
    expect(await other.beginAnew(before, 'a', [7, 8])).toBe(false);
    const { partitions } = await other.log('a');
    expect(partitions).toEqual([
      { partition: 0, routed: 5, mark: null },
      { partition: 1, routed: 6, mark: null },
    ]);
  });

  it('begins anew: removes open deliveries, cursors and repeats, and raises epochs', async () => {
    const [store, other] = [await open('one'), await open('other')];
    const grants = await store.acquire([0, 1]);
    const matched = countKey(PIPELINE, { state: 'Matched', step: 'Filter', code: '' }, 0);
    await store.commit(
      grants.map((grant) =>
        changesOf(grant, 1, {
          mark: { offset: 1, timestampMs: 1, crc: 1 },
          open: [openDelivery({ attempts: 3 })],
          cursors: [
            cursorAt({ position: 7 }),
            cursorAt({ orderKey: 'k', owed: new Map([[PIPELINE, 3]]) }),
          ],
          repeats: [{ offset: 0, differs: false }],
          counts: new Map([[matched, 4]]),
        }),
      ),
    );
    await other.beginAnew(await other.log('log'), 'log', [70, 0, 5]);
    expect(await store.renew(grants)).toEqual([]);
    expect(await store.commit([changesOf(grants[0]!, 2)])).toEqual([0]);
    const taken = await store.acquire([0, 1, 2]);
    expect(taken.map(({ epoch }) => epoch)).toEqual([3, 3, 2]);
    for (const [at, routed] of [70, 0, 5].entries())
      expect(await store.restore(taken[at]!)).toEqual({ ...NO_PROGRESS, routed });
    expect((await stored()).counts).toContainEqual({
      pipeline: PIPELINE,
      state: 'Parked',
      code: 'Expired',
      count: 8,
    });
    expect((await stored()).counts).not.toContainEqual(expect.objectContaining({ state: 'Open' }));
    expect((await stored()).times).toMatchObject([{ pipeline: PIPELINE, retries: 4 }]);
  });

  it('lets partitions without a given offset begin at 0', async () => {
    const store = await open('one');
    await store.commit([changesOf(await acquired(store, 1), 1, { routed: 9 })]);
    await store.beginAnew(await store.log('log'), 'log', [3]);
    expect((await store.restore(await acquired(store, 1))).routed).toBe(0);
  });

  it('keeps waiting deliveries and dead letters, at offsets below those of the new log', async () => {
    const store = await open('one');
    const rows = [
      storedDelivery({ offset: 0, body: 'first' }),
      storedDelivery({ offset: 2, body: 'second' }),
      storedDelivery({ offset: 2, pipeline: OTHER_PIPELINE, body: 'second', state: 'Parked' }),
    ];
    const unreadable = { offset: 1, orderKey: 'k', value: 'v', reason: 'r' };
    let grant = await acquired(store);
    await store.commit([changesOf(grant, 1, { stored: rows, unreadable: [unreadable] })]);
    for (const round of [1, 2, 3]) {
      await store.beginAnew(await store.log('log'), 'log', [0]);
      grant = await acquired(store);
      const body = `of log ${round}`;
      const again = [0, 1, 2].map((offset) => storedDelivery({ offset, body }));
      await store.commit([changesOf(grant, 1, { stored: again, unreadable: [unreadable] })]);
    }
    const waiting = await store.waiting(0, LANE, 'source/user', null, MANY);
    expect(waiting.map(({ body }) => body)).toEqual([
      'first',
      'second',
      ...['of log 1', 'of log 2', 'of log 3'].flatMap((body) => [body, body, body]),
    ]);
    expect(waiting.map(({ offset }) => offset < 0)).toEqual(waiting.map((_, at) => at < 8));
    expect(await store.waiting(0, LANE, 'source/user', waiting[4]!, MANY)).toEqual(
      waiting.slice(5),
    );
    expect(await store.keptBodies({ partition: -1, offset: 0 }, 9)).toMatchObject([
      { body: 'second' },
    ]);
    expect((await stored()).unreadable).toHaveLength(4);
    expect((await store.restore(grant)).storedBeyond).toEqual([]);
  });
};
