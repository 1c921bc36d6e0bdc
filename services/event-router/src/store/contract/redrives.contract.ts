import {
  bodyDigest,
  type ConnectionId,
  type Instant,
  writeAcceptedEvent,
} from '@penstock/contracts';
import type { EarlierEnding, Ending, Redriven, StoredDelivery } from '../changes';
import { countKey } from '../changes';
import type { Job } from '../jobs/job';
import type { RedriveRequest } from '../redrive-request';
import type { LeaseGrant, RouterStore } from '../router-store';
import { acquired, changesOf, OTHER_PIPELINE, PIPELINE, storedDelivery } from './changes.fixture';
import { newJob, PLACE } from './jobs.contract';
import { DEAD_LETTER_DAYS, type StoreHarness } from './store-harness';

const DAY_MS = 86_400_000;
const MANY = { rows: 100, maxBytes: 1_000_000 };
const ALL: RedriveRequest = { ordering: 'key' };
const REJECTED: EarlierEnding = { state: 'Rejected', step: 'Finalize', code: '404' };
const DELIVERED: Ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' };
const AGAIN: Ending = { state: 'Parked', step: 'Finalize', code: 'Spent', reason: 'no' };
const SOURCE = 'source000000001' as ConnectionId;

const receivedAt = (hour: number): Instant =>
  `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z` as Instant;

/** The body of an event that was received in this hour. */
const bodyOf = (hour: number, workspace = PLACE.workspace): string =>
  writeAcceptedEvent({
    workspace,
    source: SOURCE,
    messageId: `m${hour}`,
    seen: 1,
    integrations: null,
    digest: bodyDigest('', ''),
    eventText: JSON.stringify({ receivedAt: receivedAt(hour) }),
  });

/** A dead letter whose event was received in the hour of its offset. */
const dead = (offset: number, given: Partial<StoredDelivery> = {}): StoredDelivery =>
  storedDelivery({ offset, ...REJECTED, state: 'Rejected', body: bodyOf(offset), ...given });

const redriven = (
  job: Job,
  offset: number,
  endings: Redriven['endings'],
  given: Partial<Redriven> = {},
): Redriven => ({
  job: job.id,
  offset,
  pipeline: PIPELINE,
  version: 7,
  attempts: 2,
  endings,
  atMs: 0,
  ...given,
});

/** Chooses everything for a job. */
const choose = async (store: RouterStore, id: Job['id']): Promise<void> => {
  while ((await store.redrives.choose(id)) !== 'over');
};

/** Creates a redrive and chooses everything for it. */
const redrive = async (
  store: RouterStore,
  number: number,
  request: RedriveRequest = ALL,
): Promise<Job> => {
  const job = (await store.jobs.create(newJob(number, { request: JSON.stringify(request) })))!;
  await choose(store, job.id);
  return job;
};

const countsOf = async (store: RouterStore, { id }: Job): Promise<Record<string, number>> =>
  Object.fromEntries((await store.jobs.get(PLACE, id))?.counts ?? []);

const stateOf = async (store: RouterStore, { id }: Job): Promise<string | undefined> =>
  (await store.jobs.get(PLACE, id))?.state;

const offsetsOf = async (
  store: RouterStore,
  { id }: Job,
  orderKey = 'source/user',
  partition = 0,
): Promise<number[]> =>
  (await store.redrives.rows(id, partition, orderKey, null, MANY)).map(({ offset }) => offset);

/** Stores dead letters in partition 0. */
const holding = async (store: RouterStore, ...rows: StoredDelivery[]): Promise<LeaseGrant> => {
  const grant = await acquired(store);
  await store.commit([changesOf(grant, 1, { stored: rows })]);
  return grant;
};

/** Redrives choose a fixed set of dead letters, each for one redrive at a time, and end each once. */
export const itRedrives = ({ open, pass, stored }: StoreHarness): void => {
  describe('the set', () => {
    const ALL_ROWS = [
      dead(1),
      dead(2, { code: '500' }),
      dead(3, { state: 'Parked', code: 'RetryBudgetSpent' }),
      dead(4, { state: 'Parked', code: 'Deleted' }),
      dead(5, { pipeline: OTHER_PIPELINE }),
      dead(8, { code: 'Unstorable' }),
      dead(9, { code: 'Unreadable' }),
      dead(6, { state: 'Waiting', code: '', step: null }),
      dead(7, { body: bodyOf(7, 'workspace00000b' as typeof PLACE.workspace) }),
    ];

    it.each<[RedriveRequest, number[]]>([
      [ALL, [1, 2, 3]],
      [{ ...ALL, state: 'Rejected' }, [1, 2]],
      [{ ...ALL, state: 'Parked' }, [3]],
      [{ ...ALL, code: '500' }, [2]],
      [{ ...ALL, state: 'Parked', code: '500' }, []],
      [{ ...ALL, from: receivedAt(2) }, [2, 3]],
      [{ ...ALL, to: receivedAt(2) }, [1]],
      [{ ...ALL, from: receivedAt(2), to: receivedAt(3) }, [2]],
      [{ ...ALL, deliveries: [1, 3, 5, 6, 9].map((offset) => ({ partition: 0, offset })) }, [1, 3]],
      [{ ...ALL, deliveries: [{ partition: 1, offset: 1 }] }, []],
    ])('of %j is counted and chosen', async (request, offsets) => {
      const store = await open('one');
      await holding(store, ...ALL_ROWS);
      expect(await store.redrives.count(PLACE, request)).toBe(offsets.length);
      const job = await redrive(store, 1, request);
      expect(await offsetsOf(store, job)).toEqual(offsets);
      expect(await countsOf(store, job)).toEqual(
        offsets.length === 0 ? {} : { Chosen: offsets.length },
      );
      expect(await stateOf(store, job)).toBe('Running');
    });

    it('is counted whole while it is chosen, and after that', async () => {
      const store = await open('one');
      const size = 4_500;
      const grant = await holding(
        store,
        ...Array.from({ length: size }, (_, nth) => dead(nth + 1)),
      );
      const { id } = (await store.jobs.create(newJob(1, { request: JSON.stringify(ALL) })))!;
      const counts = new Set([await store.redrives.countOf(id, PLACE, ALL)]);
      let isOver = false;
      const counting = async (): Promise<void> => {
        while (!isOver) counts.add(await store.redrives.countOf(id, PLACE, ALL));
      };
      const choosing = choose(store, id).finally(() => {
        isOver = true;
      });
      await Promise.all([choosing, counting(), counting()]);
      await store.commit([changesOf(grant, 2, { stored: [dead(size + 1)] })]);
      counts.add(await store.redrives.countOf(id, PLACE, ALL));
      expect([...counts]).toEqual([size]);
    });

    it('has nothing that ends after the redrive was created', async () => {
      const store = await open('one');
      const grant = await holding(store, dead(1));
      const { id } = (await store.jobs.create(newJob(1, { request: JSON.stringify(ALL) })))!;
      await pass(60_000);
      await store.commit([changesOf(grant, 2, { stored: [dead(2)] })]);
      await choose(store, id);
      expect(await offsetsOf(store, { id } as Job)).toEqual([1]);
    });

    it('has nothing of another redrive that has not ended, and all of one that has', async () => {
      const store = await open('one');
      const grant = await holding(store, dead(1), dead(2, { code: '500' }));
      const first = await redrive(store, 1, { ...ALL, code: '500' });
      expect(await store.redrives.count(PLACE, ALL)).toBe(1);
      const second = await redrive(store, 2);
      expect(await offsetsOf(store, first)).toEqual([2]);
      expect(await offsetsOf(store, second)).toEqual([1]);
      await store.jobs.cancel(first.id);
      expect(await store.redrives.count(PLACE, ALL)).toBe(0);
      await store.commit([changesOf(grant, 2, { redrivesStopped: [first.id] })]);
      await store.redrives.endDone();
      expect(await store.redrives.count(PLACE, ALL)).toBe(1);
      const third = await redrive(store, 3);
      expect(await offsetsOf(store, third)).toEqual([2]);
      expect(await offsetsOf(store, first)).toEqual([]);
    });

    it('is ordered by user or by delivery, as the destination orders now', async () => {
      const store = await open('one');
      await holding(
        store,
        dead(1),
        dead(2, { orderKey: 'source/user@2' }),
        dead(3, { orderKey: 'a@2' }),
      );
      const byUser = await redrive(store, 1);
      const keys = async ({ id }: Job): Promise<string[]> =>
        (await store.redrives.keys(id, 0, null, 9)).map(({ orderKey }) => orderKey);
      expect(await keys(byUser)).toEqual(['a@2', 'source/user']);
      await store.jobs.end(byUser.id, 'Cancelled');
      const byDelivery = await redrive(store, 2, { ordering: 'none' });
      expect(await keys(byDelivery)).toEqual(['a@2@3', 'source/user@1', 'source/user@2']);
    });

    it('is kept, while dead letters of the same age are removed', async () => {
      const store = await open('one');
      await holding(store, dead(1), dead(2, { code: '500' }));
      const job = await redrive(store, 1, { ...ALL, code: '500' });
      await pass((DEAD_LETTER_DAYS + 1) * DAY_MS);
      await store.sweep();
      expect((await stored()).rows.map(({ offset }) => offset)).toEqual([2]);
      await store.jobs.end(job.id, 'Cancelled');
      await store.sweep();
      expect((await stored()).rows).toEqual([]);
    });
  });

  it('pages through keys, and counts the rows of each up to a limit', async () => {
    const store = await open('one');
    const long = Array.from({ length: 101 }, (_, index) =>
      dead(10 + index, { orderKey: 'b', body: bodyOf(1) }),
    );
    await holding(
      store,
      dead(1, { orderKey: 'c' }),
      dead(2, { orderKey: '' }),
      dead(3, { orderKey: 'c' }),
      ...long,
    );
    const { id } = await redrive(store, 1);
    const key = (orderKey: string, rows: number) => ({ orderKey, rows, dueMs: 0 });
    expect(await store.redrives.keys(id, 0, null, 9)).toEqual([
      key('', 1),
      key('b', Infinity),
      key('c', 2),
    ]);
    expect(await store.redrives.keys(id, 0, null, 2)).toEqual([key('', 1), key('b', Infinity)]);
    expect(await store.redrives.keys(id, 0, 'b', 2)).toEqual([key('c', 2)]);
    expect(await store.redrives.keys(id, 0, 'c', 2)).toEqual([]);
    expect(await store.redrives.keys(id, 1, null, 2)).toEqual([]);
  });

  it('pages through the rows of a key, by number and by bytes', async () => {
    const store = await open('one');
    await holding(store, dead(1), dead(2), dead(3), dead(4, { orderKey: 'other' }));
    const { id } = await redrive(store, 1);
    const bytes = Buffer.byteLength(bodyOf(1));
    const page = async (after: number | null, rows: number, maxBytes = 1_000_000) =>
      (
        await store.redrives.rows(
          id,
          0,
          'source/user',
          after === null ? null : { offset: after, pipeline: PIPELINE },
          { rows, maxBytes },
        )
      ).map(({ offset }) => offset);
    expect(await page(null, 2)).toEqual([1, 2]);
    expect(await page(2, 2)).toEqual([3]);
    expect(await page(3, 2)).toEqual([]);
    expect(await page(null, 9, 1)).toEqual([1]);
    expect(await page(null, 9, bytes)).toEqual([1]);
    expect(await page(null, 9, bytes + 1)).toEqual([1, 2]);
    const [first] = await store.redrives.rows(id, 0, 'source/user', null, MANY);
    expect(first).toEqual({
      offset: 1,
      pipeline: PIPELINE,
      attempts: 0,
      dueMs: 0,
      reason: '',
      deadLetter: { ...REJECTED, version: 1, body: bodyOf(1) },
    });
  });

  it('gives nothing of a redrive that is not running', async () => {
    const store = await open('one');
    await holding(store, dead(1));
    const job = await redrive(store, 1);
    await store.jobs.cancel(job.id);
    expect(await store.redrives.keys(job.id, 0, null, 9)).toEqual([]);
    expect(await offsetsOf(store, job)).toEqual([]);
  });

  it('chooses nothing for one that was cancelled before', async () => {
    const store = await open('one');
    await holding(store, dead(1));
    const job = (await store.jobs.create(newJob(1, { request: JSON.stringify(ALL) })))!;
    await store.jobs.cancel(job.id);
    await choose(store, job.id);
    expect(await countsOf(store, job)).toEqual({});
    await store.redrives.endDone();
    expect(await stateOf(store, job)).toBe('Cancelled');
  });

  it('takes back the earlier ending of each, counts the new one, and keeps those that have failed again', async () => {
    const store = await open('one');
    const nowMs = 0;
    const before = new Map([
      [countKey(PIPELINE, { state: 'Matched', step: 'Filter', code: '' }, nowMs), 3],
      [countKey(PIPELINE, REJECTED, nowMs), 3],
    ]);
    const grant = await acquired(store);
    await store.commit([
      changesOf(grant, 1, { stored: [dead(1), dead(2), dead(3)], counts: before }),
    ]);
    const job = await redrive(store, 1);
    const counts = new Map([
      [countKey(PIPELINE, DELIVERED, nowMs), 1],
      [countKey(PIPELINE, AGAIN, nowMs), 1],
    ]);
    const changes = changesOf(grant, 2, {
      counts,
      redriven: [
        redriven(job, 1, { before: REJECTED, now: DELIVERED }),
        redriven(job, 2, { before: REJECTED, now: AGAIN }),
      ],
    });
    await store.commit([changes]);
    await store.commit([changes]);
    expect(await countsOf(store, job)).toEqual({ Chosen: 3, Delivered: 1, Parked: 1 });
    expect((await stored()).counts.filter(({ state }) => state !== 'Filtered')).toEqual([
      { pipeline: PIPELINE, state: 'Delivered', code: '', count: 1 },
      { pipeline: PIPELINE, state: 'Parked', code: 'Spent', count: 1 },
      { pipeline: PIPELINE, state: 'Rejected', code: '404', count: 1 },
    ]);
    expect((await stored()).rows).toEqual([
      { ...dead(2), ...AGAIN, version: 7, attempts: 3, partition: 0 },
      { ...dead(3), partition: 0 },
    ]);
    expect(await offsetsOf(store, job)).toEqual([3]);
    await store.redrives.endDone();
    expect(await stateOf(store, job)).toBe('Running');
    await store.commit([
      changesOf(grant, 3, { redriven: [redriven(job, 3, { before: REJECTED, now: DELIVERED })] }),
    ]);
    await store.redrives.endDone();
    expect(await stateOf(store, job)).toBe('Succeeded');
  });

  it('ends one that was erased meanwhile without an ending', async () => {
    const store = await open('one');
    const grant = await holding(store, dead(1), dead(2));
    const job = await redrive(store, 1);
    await store.erase([1, 2].map((offset) => ({ partition: 0, offset })));
    expect(await store.redrives.rows(job.id, 0, 'source/user', null, MANY)).toMatchObject([
      { offset: 1, deadLetter: null },
      { offset: 2, deadLetter: null },
    ]);
    const rejectedAgain = { before: REJECTED, now: { ...REJECTED, reason: 'no' } };
    await store.commit([
      changesOf(grant, 2, { redriven: [redriven(job, 1, null), redriven(job, 2, rejectedAgain)] }),
    ]);
    expect(await countsOf(store, job)).toEqual({ Chosen: 2, Filtered: 1, Rejected: 1 });
    expect((await stored()).rows).toEqual([]);
  });

  it('keeps attempts in vain for the next owner', async () => {
    const store = await open('one');
    const grant = await holding(store, dead(1), dead(2));
    const job = await redrive(store, 1);
    const tried = {
      offset: 1,
      pipeline: PIPELINE,
      attempts: 3,
      dueMs: 1_700_000_000_123,
      reason: 'away',
    };
    await store.commit([changesOf(grant, 2, { redriveTried: [{ ...tried, job: job.id }] })]);
    expect(await store.redrives.keys(job.id, 0, null, 9)).toEqual([
      { orderKey: 'source/user', rows: 2, dueMs: tried.dueMs },
    ]);
    const [first] = await store.redrives.rows(job.id, 0, 'source/user', null, MANY);
    expect(first).toMatchObject(tried);
  });

  it('ends a cancelled one when every present owner of what is left has stopped', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1, 2]);
    const rows = [[dead(1)], [dead(1)], []];
    await store.commit(grants.map((grant, at) => changesOf(grant, 1, { stored: rows[at]! })));
    const job = await redrive(store, 1);
    await store.jobs.cancel(job.id);
    const ended = async (): Promise<boolean> => {
      await store.redrives.endDone();
      return (await stateOf(store, job)) === 'Cancelled';
    };
    const stop = (grant: LeaseGrant, sequence: number) =>
      store.commit([changesOf(grant, sequence, { redrivesStopped: [job.id] })]);
    await stop(grants[0]!, 2);
    expect(await ended()).toBe(false);
    await store.release([grants[0]!]);
    const again = await acquired(store, 0);
    await stop(grants[1]!, 2);
    expect(await ended()).toBe(false);
    await stop(again, 3);
    expect(await ended()).toBe(true);
    expect((await stored()).rows).toHaveLength(2);
  });

  it('keeps its set when another log is begun', async () => {
    const store = await open('one');
    await store.log('first');
    await holding(store, dead(1), dead(2));
    const job = await redrive(store, 1);
    await store.beginAnew(await store.log('first'), 'second', [0]);
    const rows = await store.redrives.rows(job.id, 0, 'source/user', null, MANY);
    expect(rows.map(({ deadLetter }) => deadLetter?.body)).toEqual([bodyOf(1), bodyOf(2)]);
  });
};
