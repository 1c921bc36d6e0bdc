import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { Database } from '../store/postgres/sql/database';
import { PostgresReplayLeases } from './postgres-replay-leases';
import { itLeasesReplays, LEASE_MS } from './replay-leases.contract';
import { Replays } from './replays';

const database = StoreDatabase.forEachTest();

beforeEach(() => database.open('migrates'));

itLeasesReplays({
  open: (member) => new PostgresReplayLeases(new Database(database.pool), member, LEASE_MS),
  create: async (replay) => {
    await new Replays(database.pool).create(replay);
  },
  cancel: async ({ workspace, pipeline, id }) => {
    await new Replays(database.pool).cancel(workspace, pipeline, id, 'key1');
  },
  pass: async (ms) => {
    await database.pool.query(
      `UPDATE penstock_router.replays SET leased_until = leased_until - $1 * interval '1 millisecond',
              served = served - $1 * interval '1 millisecond'`,
      [ms],
    );
  },
  stored: async ({ workspace, pipeline, id }) => {
    const view = await new Replays(database.pool).find(workspace, pipeline, id);
    const [row] = await database.rows<{ positions: string[] }>(
      'SELECT positions FROM penstock_router.replays WHERE job = $1',
      [id],
    );
    const differences = await database.rows<{ offset: number }>(
      'SELECT "offset"::int FROM penstock_router.replay_differences WHERE job = $1 ORDER BY 1',
      [id],
    );
    return {
      state: view!.state,
      reason: view!.reason,
      positions: row!.positions.map(Number),
      events: view!.summary!.events,
      differences: differences.map(({ offset }) => offset),
    };
  },
});
