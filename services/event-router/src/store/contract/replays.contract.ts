import type { JobId } from '@penstock/contracts';
import type { Ending, OpenReplayed, ReplayFailure, ReplayStep } from '../changes';
import { LOG_REPLACED, type NewReplay } from '../replay-delivery-store';
import type { LeaseGrant, OffsetRange, RouterStore } from '../router-store';
import { acquired, changesOf } from './changes.fixture';
import { newJob, PLACE } from './jobs.contract';
import type { StoreHarness } from './store-harness';

const WINDOWS: readonly OffsetRange[] = [
  { start: 10, end: 30 },
  { start: 5, end: 5 },
];
const OTHER_PIPELINE = 'another0000001' as typeof PLACE.pipeline;
const OF_REPLAYS = { ...PLACE, kind: 'DeliveringReplay' } as const;
const REJECTED: Ending = { state: 'Rejected', step: 'Finalize', code: '400', reason: 'no\u0000' };

const newReplay = (number: number, given: Partial<NewReplay> = {}): NewReplay => ({
  ...newJob(number),
  kind: 'DeliveringReplay',
  ...given,
});

const open = (offset: number, given: Partial<OpenReplayed> = {}): OpenReplayed => ({
  ...{ offset, orderKey: 'source/user', attempts: 0, dueMs: 0 },
  ...given,
});

const failure = (offset: number): ReplayFailure => ({
  ...{
    offset,
    ending: REJECTED,
    attempts: 1,
    atMs: 1_700_000_000_000,
    receivedMs: 1_600_000_000_000,
  },
  ...{ messageId: `m${offset}`, source: 'source000000001', userId: 'Ada', previousId: null },
});

const step = (job: JobId, given: Partial<ReplayStep>): ReplayStep => ({
  ...{ job, position: 10, opened: [], tried: [], ended: [], failures: [] },
  counts: new Map(),
  ...given,
});

/** Creates a replay. @throws Error when it is refused. */
const created = async (store: RouterStore, number: number): Promise<JobId> => {
  const id = await store.replays.create(newReplay(number), WINDOWS);
  if (id === undefined) throw new Error('the replay was refused');
  return id;
};

const jobOf = async (store: RouterStore, id: JobId) => {
  const job = await store.jobs.get(OF_REPLAYS, id);
  return { state: job?.state, counts: Object.fromEntries(job?.counts ?? []) };
};

/** Commits one step of a replay in partition 0. */
const committing =
  (store: RouterStore, grant: LeaseGrant, job: JobId) =>
  (sequence: number, given: Partial<ReplayStep>): Promise<readonly number[]> =>
    store.commit([changesOf(grant, sequence, { replayed: [step(job, given)] })]);

/** Replays that deliver: what is left of them is written by the commits of partitions, and they end when nothing is. */
export const itDeliversReplays = (harness: StoreHarness): void => {
  it('creates a replay once for its command, and one of a pipeline at a time', async () => {
    const [one, other] = [await harness.open('one'), await harness.open('other')];
    const id = await created(one, 1);
    expect(await jobOf(other, id)).toEqual({ state: 'Running', counts: {} });
    const again = newReplay(2, { command: 'command 1' });
    expect(await other.replays.create(again, WINDOWS)).toBe(id);
    expect(await other.replays.create(newReplay(3), WINDOWS)).toBeUndefined();
    const elsewhere = newReplay(4, { pipeline: OTHER_PIPELINE });
    expect(await other.replays.create(elsewhere, WINDOWS)).toBe(elsewhere.id);
    await one.jobs.end(id, 'Cancelled');
    expect(await other.replays.create(newReplay(5), WINDOWS)).toBe(newReplay(5).id);
  });

  it('has its window before anything is read, and nothing beyond its partitions', async () => {
    const store = await harness.open('one');
    const id = await created(store, 1);
    const none = { open: [], failures: 0 };
    expect(await store.replays.rest(id, 0)).toEqual({ window: WINDOWS[0], position: 10, ...none });
    expect(await store.replays.rest(id, 1)).toEqual({ window: WINDOWS[1], position: 5, ...none });
    expect(await store.replays.rest(id, 2)).toBeUndefined();
    expect(await store.replays.rest('another000001' as JobId, 0)).toBeUndefined();
  });

  it('writes position, open deliveries, attempts and numbers with the commit of the partition', async () => {
    const store = await harness.open('one');
    const [id, grant] = [await created(store, 1), await acquired(store)];
    const commit = committing(store, grant, id);
    const counts = new Map([['events', 3]] as const);
    const opened = [
      open(12),
      open(11),
      open(14, { orderKey: 'other', attempts: 2, dueMs: 1_700_000_000_123 }),
    ];
    await commit(1, { position: 15, opened, counts });
    expect(await store.replays.rest(id, 0)).toEqual({
      window: WINDOWS[0],
      position: 15,
      open: [opened[1], opened[0], opened[2]],
      failures: 0,
    });
    await commit(2, {
      position: 20,
      tried: [{ offset: 11, attempts: 1, dueMs: 1_700_000_000_999 }],
      ended: [12, 14],
      failures: [failure(14)],
      counts: new Map([
        ['events', 2],
        ['delivered', 1],
        ['rejected', 1],
      ] as const),
    });
    expect(await store.replays.rest(id, 0)).toMatchObject({
      position: 20,
      open: [open(11, { attempts: 1, dueMs: 1_700_000_000_999 })],
      failures: 1,
    });
    expect(await jobOf(store, id)).toEqual({
      state: 'Running',
      counts: { events: 5, delivered: 1, rejected: 1 },
    });
  });

  it('writes nothing of a repeated commit, of an earlier owner, or for a replay that is not there', async () => {
    const store = await harness.open('one');
    const [id, grant] = [await created(store, 1), await acquired(store)];
    const counts = new Map([['events', 1]] as const);
    const first = { position: 12, opened: [open(11)], counts };
    await committing(store, grant, id)(1, first);
    await committing(store, grant, id)(1, first);
    const gone = 'another000001' as JobId;
    await committing(store, grant, gone)(2, { ...first, failures: [failure(11)] });
    await store.release([grant]);
    await acquired(store);
    expect(await committing(store, grant, id)(3, { position: 25, ended: [11], counts })).toEqual([
      0,
    ]);
    expect(await store.replays.rest(id, 0)).toMatchObject({ position: 12, open: [open(11)] });
    expect(await jobOf(store, id)).toMatchObject({ counts: { events: 1 } });
  });

  it('has succeeded when its windows are read and nothing is open', async () => {
    const store = await harness.open('one');
    const [id, grant] = [await created(store, 1), await acquired(store)];
    const commit = committing(store, grant, id);
    const state = async (): Promise<string | undefined> => {
      await store.replays.endDone();
      return (await jobOf(store, id)).state;
    };
    expect(await state()).toBe('Running');
    await commit(1, { position: 29 });
    expect(await state()).toBe('Running');
    await commit(2, { position: 30, opened: [open(29)] });
    expect(await state()).toBe('Running');
    await commit(3, { position: 30, ended: [29] });
    expect(await state()).toBe('Succeeded');
    expect(await store.jobs.open()).toEqual([]);
    expect(await store.replays.rest(id, 0)).toBeUndefined();
  });

  it('ends when it is stopped and the present owners of partitions have stopped, and counts what is left', async () => {
    const [store, next] = [await harness.open('one'), await harness.open('next')];
    const [id, grant] = [await created(store, 1), await acquired(store)];
    const counts = new Map([['events', 2]] as const);
    await committing(store, grant, id)(1, { position: 13, opened: [open(11), open(12)], counts });
    await store.replays.stop(id, 'Failed', 'it has to be');
    await store.replays.stop(id, 'Cancelled', '');
    const ended = async () => {
      await next.replays.endDone();
      return jobOf(next, id);
    };
    expect(await ended()).toMatchObject({ state: 'Cancelling' });
    expect(await store.replays.rest(id, 0)).toBeUndefined();
    await store.commit([changesOf(grant, 2, { redrivesStopped: [id] })]);
    await store.release([grant]);
    const taken = await acquired(next);
    expect(await ended()).toMatchObject({ state: 'Cancelling' });
    await next.commit([changesOf(taken, 3, { redrivesStopped: [id] })]);
    expect(await ended()).toEqual({ state: 'Failed', counts: { events: 2, left: 2 } });
    expect(await ended()).toEqual({ state: 'Failed', counts: { events: 2, left: 2 } });
  });

  it('is cancelled at once where nothing is left to do', async () => {
    const store = await harness.open('one');
    const id = await store.replays.create(newReplay(1), [{ start: 3, end: 3 }]);
    await store.replays.stop(id!, 'Cancelled', '');
    await store.replays.endDone();
    expect(await jobOf(store, id!)).toMatchObject({ state: 'Cancelled' });
    await store.replays.stop(id!, 'Failed', 'too late');
    expect(await jobOf(store, id!)).toMatchObject({ state: 'Cancelled' });
  });

  it(`fails when ${LOG_REPLACED}`, async () => {
    const store = await harness.open('one');
    const before = await store.log('one log');
    const [id, grant] = [await created(store, 1), await acquired(store)];
    await committing(store, grant, id)(1, { position: 12, opened: [open(11)] });
    const recorded = await store.log(before.identity);
    expect(await store.beginAnew(recorded, 'another log', [0])).toBe(true);
    expect(await jobOf(store, id)).toEqual({ state: 'Failed', counts: { left: 1 } });
    expect(await store.replays.create(newReplay(2), WINDOWS)).toBe(newReplay(2).id);
  });
};
