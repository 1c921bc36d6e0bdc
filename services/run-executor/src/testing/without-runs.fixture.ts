import { PARTITIONS, topics } from '@penstock/contracts';
import { PostgresMessageLog } from '@penstock/messaging';
import type { Beginning } from '@penstock/test-servers';
import { Pool } from 'pg';
import { PostgresRunStore } from '../store/postgres-run-store';
import { LEASE_MS } from '../store/store.fixture';

/** What executors find that have run before: an embedded log with empty topics, and their own tables. */
export const WITHOUT_RUNS: Beginning = {
  name: 'run_executor',
  make: async (url) => {
    const log = new PostgresMessageLog({ connection: { connectionString: url } });
    await log.ensureTopics(topics(PARTITIONS.embedded));
    await log.close();
    const pool = new Pool({ connectionString: url, max: 1 });
    await new PostgresRunStore(pool, { leaseMs: LEASE_MS, runsOfWorkspace: 1 }).prepare();
    await pool.end();
  },
  // Each log has an identity of its own.
  own: 'UPDATE penstock_log.identity SET id = gen_random_uuid()',
};
