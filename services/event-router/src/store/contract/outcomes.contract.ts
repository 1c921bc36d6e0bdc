import type { CommittedOutcomes, LeaseGrant, RouterStore } from '../router-store';
import { acquired, changesOf, openDelivery, outcomeRecord } from './changes.fixture';
import { OUTCOME_DAYS, type StoreHarness } from './store-harness';

const MANY = { rows: 100, maxBytes: 1_000_000 };
const DAY_MS = 86_400_000;

/** Commits `count` outcomes, each at the offset `sequence`. */
const commit = (store: RouterStore, grant: LeaseGrant, sequence: number, count = 1) => {
  const outcomes = Array.from({ length: count }, () => outcomeRecord({ offset: sequence }));
  return store.commit([changesOf(grant, sequence, { outcomes })]);
};

const placesOf = (commits: readonly CommittedOutcomes[]): string[] =>
  commits.map(({ partition, epoch, sequence }) => `${partition}: ${epoch}/${sequence}`);

const places = async (
  store: RouterStore,
  partitions: readonly number[],
  limits = MANY,
): Promise<string[]> => placesOf((await store.unrelayed(partitions, limits)).commits);

/** Outcomes are returned in order until they are marked as relayed. */
export const itTellsOutcomes = ({ open, pass, nowMs }: StoreHarness): void => {
  it('returns outcomes in the order of the commits, across owners', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const first = await acquired(one);
    const ended = [outcomeRecord(), outcomeRecord({ offset: 1, state: 'Parked', code: 'x' })];
    await one.commit([changesOf(first, 1, { outcomes: ended })]);
    await one.commit([changesOf(first, 2)]);
    await commit(one, first, 3);
    await one.release([first]);
    await commit(other, await acquired(other), 4);
    const { commits, isAll } = await other.unrelayed([0, 1], MANY);
    expect(placesOf(commits)).toEqual(['0: 1/1', '0: 1/3', '0: 2/4']);
    expect(commits[0]?.outcomes).toEqual(ended);
    expect(Math.abs((commits[0]?.day ?? 0) - (await nowMs()) / DAY_MS)).toBeLessThan(1.1);
    expect(isAll).toBe(true);
    expect(await other.unrelayed([], MANY)).toEqual({ commits: [], isAll: true });
  });

  it('continues after the mark, and returns unmarked commits again', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    for (const sequence of [1, 2, 3])
      for (const grant of grants) await commit(store, grant, sequence);
    const { commits } = await store.unrelayed([0, 1], MANY);
    expect(await places(store, [0, 1])).toEqual(placesOf(commits));
    const to = commits.find(({ partition, sequence }) => partition === 1 && sequence === 2)!;
    await store.markRelayed([{ ...grants[1]!, to }]);
    expect((await places(store, [0, 1])).sort()).toEqual(['0: 1/1', '0: 1/2', '0: 1/3', '1: 1/3']);
    expect(await places(await open('other'), [1])).toEqual(['1: 1/3']);
  });

  it('takes partitions in turns, up to the limits of commits and bytes', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    for (const sequence of [1, 2, 3]) await commit(store, grants[0]!, sequence, 200);
    for (const sequence of [1, 2]) await commit(store, grants[1]!, sequence, 200);
    const limited = async (rows: number, maxBytes: number) => {
      const { commits, isAll } = await store.unrelayed([0, 1], { rows, maxBytes });
      return [...placesOf(commits), isAll];
    };
    expect(await limited(2, 1_000_000)).toEqual(['0: 1/1', '1: 1/1', '0: 1/2', '1: 1/2', false]);
    expect(await limited(10, 1)).toEqual(['0: 1/1', false]);
    expect(await limited(10, 4_000)).toEqual(['0: 1/1', '1: 1/1', false]);
    expect(await limited(10, 1_000_000)).toHaveLength(6);
  });

  it('accepts marks from the current owner only, and does not move them back', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const before = await acquired(one);
    for (const sequence of [1, 2, 3]) await commit(one, before, sequence);
    const [first, second, third] = (await one.unrelayed([0], MANY)).commits;
    await one.release([before]);
    const grant = await acquired(other);
    await one.markRelayed([{ ...before, to: third! }]);
    expect(await places(other, [0])).toEqual(['0: 1/1', '0: 1/2', '0: 1/3']);
    await other.markRelayed([{ ...grant, to: second! }]);
    await other.markRelayed([{ ...grant, to: first! }]);
    await other.markRelayed([]);
    expect(await places(other, [0])).toEqual(['0: 1/3']);
  });

  it('returns deliveries that another log has expired, then the outcomes of that log', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const left = openDelivery({ offset: 8, version: 3, attempts: 2 });
    await store.commit([changesOf(grant, 1, { open: [left], outcomes: [outcomeRecord()] })]);
    await store.commit([changesOf(grant, 2, { outcomes: [outcomeRecord({ offset: 9 })] })]);
    const { commits } = await store.unrelayed([0], MANY);
    await store.markRelayed([{ ...grant, to: commits[0]! }]);
    await store.beginAnew(await store.log('log'), 'log', [0]);
    const anew = await acquired(store);
    await commit(store, anew, 1);
    const after = (await store.unrelayed([0], MANY)).commits;
    expect(placesOf(after)).toEqual(['0: 1/2', '0: 2/0', '0: 3/1']);
    expect(after[1]?.outcomes).toEqual([
      {
        ...outcomeRecord({ offset: 8, version: 3, attempts: 2, status: 0 }),
        state: 'Parked',
        code: 'Expired',
        atMs: expect.closeTo(await nowMs(), -5) as number,
      },
    ]);
    await store.markRelayed([{ ...anew, to: after[2]! }]);
    expect(await places(store, [0])).toEqual([]);
  });

  it('keeps outcomes that were not relayed as long as all others, and no longer', async () => {
    const store = await open('one');
    await commit(store, await acquired(store), 1);
    await pass((OUTCOME_DAYS - 1) * DAY_MS);
    await store.sweep();
    expect(await places(store, [0])).toEqual(['0: 1/1']);
    await pass(3 * DAY_MS);
    await store.sweep();
    expect(await places(store, [0])).toEqual([]);
  });
};
