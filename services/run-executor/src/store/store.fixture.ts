import type {
  ConnectionId,
  Instant,
  PipelineId,
  RunId,
  StepCounts,
  WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import type { SettledBatch } from '../engine/run-ledger';
import { PostgresRunStore } from './postgres-run-store';
import type { AcceptedRun, RunEnding } from './run-store';

export const LEASE_MS = 10_000;

export const WORKSPACE = 'workspace0000001' as WorkspaceId;

/** A requested run. */
export const aRun = (members: Partial<AcceptedRun> = {}): AcceptedRun => ({
  run: newId() as RunId,
  trigger: 'API',
  pipelineVersion: 1,
  incremental: false,
  cursor: null,
  requestedAt: '2026-06-01T00:00:00.000Z' as Instant,
  actor: 'key1',
  slot: null,
  workspace: WORKSPACE,
  pipeline: 'pipeline00000001' as PipelineId,
  connection: 'connection000001' as ConnectionId,
  pipelineName: 'Users',
  definition: null,
  ...members,
});

const counts = (first: number, last: number): StepCounts => [first, 0, 0, 0, 0, last];

/** A batch of ten records of which one was refused. */
export const aBatch = (sequence: number, members: Partial<SettledBatch> = {}): SettledBatch => ({
  sequence,
  position: { kind: 'page', cursor: '', offset: sequence * 10 },
  passed: [10, 10, 10, 10, 10, 9],
  failed: counts(0, 1),
  duplicates: 1,
  withoutId: 2,
  cursor: '2026-05-01T00:00:00.000001Z',
  errors: [
    { step: 'Finalize', code: 'Refused', message: 'out of range', count: 1, samples: ['u1'] },
  ],
  recounted: [0, 0, 0, 0, 0, 0],
  warnings: [],
  extent: { total: null, share: null },
  ...members,
});

export const SUCCEEDED: RunEnding = {
  status: 'Succeeded',
  cursor: '2026-05-01T00:00:00.000001Z',
  step: null,
  code: '',
  error: '',
  purged: 3,
  warnings: ['two records have one id'],
};

/** A database for the tests of one file, empty before each of them. */
export class StoreDatabase {
  private database: FreshDatabase | undefined;
  private poolOfAll: Pool | undefined;

  /** Creates the database with hooks of jest. */
  static forEachTest(): StoreDatabase {
    const database = new StoreDatabase();
    beforeAll(async () => {
      database.database = await freshDatabase();
      database.poolOfAll = new Pool({ connectionString: database.database.url, max: 10 });
    }, 60_000);
    afterEach(() => database.pool.query('DROP SCHEMA IF EXISTS penstock_runs CASCADE'));
    afterAll(async () => {
      await database.pool.end();
      await database.database?.drop();
    });
    return database;
  }

  get pool(): Pool {
    if (this.poolOfAll === undefined) throw new Error('the database is not there yet');
    return this.poolOfAll;
  }

  /** @param pool of another executor, where there are several. */
  async open(runsOfWorkspace = 4, pool = this.pool): Promise<PostgresRunStore> {
    const store = new PostgresRunStore(pool, { leaseMs: LEASE_MS, runsOfWorkspace });
    await store.prepare();
    return store;
  }

  /** Moves every time that the store has noted into the past. */
  async pass(ms: number): Promise<void> {
    await this.pool.query(
      `UPDATE penstock_runs.runs SET lease_until = lease_until - $1 * interval '1 millisecond',
                                     cancel_at = cancel_at - $1 * interval '1 millisecond'
        WHERE lease_until IS NULL OR isfinite(lease_until)`,
      [ms],
    );
    await this.pool.query(
      `UPDATE penstock_runs.facts SET at = at - $1 * interval '1 millisecond'`,
      [ms],
    );
  }
}
