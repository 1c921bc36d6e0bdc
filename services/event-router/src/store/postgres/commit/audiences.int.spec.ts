import type { PoolClient } from 'pg';
import { baseKey, type PartitionChanges } from '../../changes';
import {
  acquired,
  AUDIENCE,
  changesOf,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from '../../contract/changes.fixture';
import { IS_LONG } from '../../../testing/model/model-runs.fixture';
import { addWitness, until } from '../../../testing/until.fixture';
import type { LeaseGrant } from '../../router-store';
import { HeldDatabase } from '../held-database.fixture';
import type { PostgresRouterStore } from '../postgres-router-store';
import { Database } from '../sql/database';
import { StoreDatabase } from '../store-harness.fixture';
import { Audiences } from './audiences';
import { Commits } from './commits';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const DAY_MS = 86_400_000;
const ROUNDS = IS_LONG ? 100 : 30;
const makeNothing = () => Promise.resolve();

const audienceOf = (index: number) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  enabled: [PIPELINE],
  disabled: [OTHER_PIPELINE],
});

/** An event of long ago for each of the audiences, so that the next roll-up leaves nothing that refers to them. */
const routed = (indexes: readonly number[]): Partial<PartitionChanges> => ({
  audiences: indexes.map(audienceOf),
  bases: new Map(indexes.map((index) => [baseKey(audienceOf(index).id, 'New', 0), 1])),
});

const THE_AUDIENCE = { ...audienceOf(0), id: AUDIENCE };
const ofTheAudience = (): Partial<PartitionChanges> => ({
  audiences: [THE_AUDIENCE],
  bases: new Map([[baseKey(AUDIENCE, 'New', 0), 1]]),
});

const rolledUp = async (store: PostgresRouterStore): Promise<void> => {
  while (await store.rollUp(1_000));
};

/** Counts whose audience is gone. */
const orphans = () =>
  database.rows(
    `SELECT audience FROM penstock_router.bases
      WHERE NOT EXISTS (SELECT FROM penstock_router.audiences WHERE id = audience)`,
  );

const counted = async (): Promise<number | undefined> =>
  (await database.stored()).counts.find(({ pipeline }) => pipeline === PIPELINE)?.count;

/** A partition whose audience is no longer referred to, and may be removed. */
const withUnused = async (): Promise<{ store: PostgresRouterStore; grant: LeaseGrant }> => {
  const store = await database.open('one');
  const grant = await acquired(store);
  await store.commit([changesOf(grant, 1, ofTheAudience())]);
  await rolledUp(store);
  await database.pass(5 * DAY_MS);
  return { store, grant };
};

describe.each([
  ['one statement', ofTheAudience],
  ['several statements', () => ({ ...ofTheAudience(), stored: [storedDelivery()] })],
])('a commit of %s', (_, given) => {
  it('keeps an audience that it refers to, while the sweep does not wait for it', async () => {
    const { store, grant } = await withUnused();
    const held = new HeldDatabase(database.pool);
    const committing = new Commits(held, makeNothing).commit([changesOf(grant, 2, given())]);
    await held.held;
    await store.sweep();
    held.commit();
    expect(await committing).toEqual([]);
    expect((await database.stored()).audiences).toEqual([AUDIENCE]);
    await store.sweep();
    expect(await orphans()).toEqual([]);
    expect(await counted()).toBe(2);
  });

  it('waits for the sweep that removes its audience, and writes it again', async () => {
    const { store, grant } = await withUnused();
    const held = new HeldDatabase(database.pool);
    const sweeping = held.rows('DELETE FROM penstock_router.audiences');
    await held.held;
    const committing = store.commit([changesOf(grant, 2, given())]);
    await Promise.race([database.untilSomeoneWaits(), committing]);
    held.commit();
    await sweeping;
    expect(await committing).toEqual([]);
    expect((await database.stored()).audiences).toEqual([AUDIENCE]);
    expect(await counted()).toBe(2);
  });

  it('writes an audience again that was removed long after it was composed', async () => {
    const { store, grant } = await withUnused();
    const composed = changesOf(grant, 2, given());
    await store.sweep();
    expect((await database.stored()).audiences).toEqual([]);
    expect(await store.commit([composed])).toEqual([]);
    expect(await store.commit([composed])).toEqual([]);
    expect(await orphans()).toEqual([]);
    expect(await counted()).toBe(2);
  });

  it('is fenced when another router has its partition', async () => {
    const { store, grant } = await withUnused();
    const other = await database.open('other');
    await database.pass(60_000);
    await acquired(other);
    await store.sweep();
    expect(await store.commit([changesOf(grant, 2, given())])).toEqual([grant.partition]);
    expect(await database.rows('SELECT FROM penstock_router.bases')).toEqual([]);
    expect(await counted()).toBe(1);
  });
});

it('leaves an audience that was removed and written anew since the sweep has looked', async () => {
  const { store } = await withUnused();
  class Late extends Database {
    override async transaction<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
      await store.sweep();
      expect((await database.stored()).audiences).toEqual([]);
      // Its counts are about to follow.
      await new Audiences(new Database(database.pool)).write([THE_AUDIENCE]);
      return super.transaction(work);
    }
  }
  await new Audiences(new Late(database.pool)).sweep();
  expect((await database.stored()).audiences).toEqual([AUDIENCE]);
});

it('loses no count and fails no commit while routers commit, roll up and sweep', async () => {
  const [one, other] = [await database.open('one'), await database.open('other')];
  const grants = { one: await one.acquire([0, 1, 2]), other: await other.acquire([3, 4, 5]) };
  let isOver = false;
  let removals = 0;
  /** Stops after each ten commits until a sweep has removed an audience since the stop before. */
  const commits = async (
    store: PostgresRouterStore,
    held: readonly LeaseGrant[],
    step: number,
  ): Promise<void> => {
    let before = removals;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const indexes = Array.from({ length: 8 }, (_, at) => (round * step + at * step) % 20);
      const given = round % 3 === 0 ? { stored: [storedDelivery({ offset: round })] } : {};
      const changes = held.map((grant) =>
        changesOf(grant, round, { ...routed(indexes), ...given }),
      );
      expect(await store.renew(held)).toHaveLength(held.length);
      expect(await store.commit(changes)).toEqual([]);
      if (round % 10 > 0) continue;
      await until(() => removals > before || isOver);
      before = removals;
    }
  };
  const sweeps = async (store: PostgresRouterStore): Promise<void> => {
    while (!isOver) {
      await database.rows(`UPDATE penstock_router.audiences SET written = '-infinity'`);
      await rolledUp(store);
      const { audiences: before } = await database.stored();
      await store.sweep();
      const left = new Set((await database.stored()).audiences);
      removals += before.filter((id) => !left.has(id)).length;
    }
  };
  const forgetWitness = addWitness('removals', () => removals);
  const sweeping = [sweeps(one), sweeps(other)].map((each) => each.finally(() => (isOver = true)));
  const ended = await Promise.allSettled([
    commits(one, grants.one, 1),
    commits(other, grants.other, 7),
  ]);
  isOver = true;
  await Promise.all(sweeping);
  forgetWitness();
  expect(ended).toEqual(Array(2).fill({ status: 'fulfilled', value: undefined }));
  expect(removals).toBeGreaterThan(0);
  expect(await orphans()).toEqual([]);
  expect(await counted()).toBe(2 * 3 * ROUNDS * 8);
});

it('looks counts up through the index, whatever the planner knows of the table', async () => {
  await database.open('one');
  await database.pool.query(
    `INSERT INTO penstock_router.audiences (id, enabled, disabled, written)
     SELECT md5(n::text)::uuid, ARRAY['pipeline' || n], ARRAY[]::text[], now() - interval '3 days'
       FROM generate_series(1, 3000) n`,
  );
  // The planner believes that each third row is of any audience.
  await database.pool.query(
    `INSERT INTO penstock_router.bases (audience, kind, minute, partition, count)
     SELECT md5((1 + n % 3)::text)::uuid, 'New', n, 0, 1 FROM generate_series(1, 20000) n`,
  );
  await database.pool.query('ANALYZE penstock_router.bases');
  const pool = database.newPool(1);
  const store = await database.open('one', pool);
  const readWithout = async (): Promise<number> => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const rows = await database.rows<{ read: number }>(
      `SELECT seq_tup_read::int AS read FROM pg_stat_user_tables
        WHERE schemaname = 'penstock_router' AND relname = 'bases'`,
    );
    return rows[0]?.read ?? NaN;
  };
  const before = await readWithout();
  await store.sweep();
  expect(await readWithout()).toBe(before);
  await pool.end();
  expect((await database.stored()).audiences).toHaveLength(3);
});
