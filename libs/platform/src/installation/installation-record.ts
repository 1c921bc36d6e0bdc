import { ADVISORY_LOCK } from '@penstock/contracts';
import type { Pool, PoolClient } from 'pg';

/** What the database knows of its installation. */
export interface RecordedInstallation {
  /** Made once, by the process that starts first. */
  readonly id: string;
  /** Identity of the log that the installation uses; undefined: it has used none yet. */
  readonly log: string | undefined;
}

/**
 * Not `to_regclass`, since a session remembers a schema that it has not found: it would try to make it although another
 * session has made it meanwhile, under the lock that both use.
 */
const TABLES = `
SELECT n.nspname || '.' || c.relname AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE (n.nspname, c.relname) IN
       (('penstock', 'installation'), ('penstock_router', 'log'), ('penstock_router', 'partitions'))`;

const MAKE = `
CREATE SCHEMA IF NOT EXISTS penstock;
CREATE TABLE IF NOT EXISTS penstock.installation (
  one             boolean PRIMARY KEY DEFAULT true CHECK (one),
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  log             text,
  since           timestamptz NOT NULL DEFAULT now()
);
INSERT INTO penstock.installation DEFAULT VALUES ON CONFLICT DO NOTHING;
`;

const tablesIn = async (client: Pool | PoolClient): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ name: string }>(TABLES);
  return new Set(rows.map(({ name }) => name));
};

/** The row of the installation in its database, table `penstock.installation`. */
export class InstallationRecord {
  constructor(private readonly pool: Pool) {}

  /**
   * Makes the record when there is none; concurrent processes make one.
   *
   * @param log identity of the log of this process: that of the installation, if routers of an earlier version have
   *   progress without a record of their log.
   */
  async read(log: string): Promise<RecordedInstallation> {
    const known = await this.find();
    if (known !== undefined) return known;
    await this.make(log);
    const made = await this.find();
    if (made === undefined) throw new Error('the table penstock.installation is empty');
    return made;
  }

  /** Returns undefined when no process of this version has started yet. */
  async find(): Promise<RecordedInstallation | undefined> {
    if (!(await tablesIn(this.pool)).has('penstock.installation')) return undefined;
    const { rows } = await this.pool.query<{ id: string; log: string | null }>(
      'SELECT id, log FROM penstock.installation',
    );
    return rows[0] && { id: rows[0].id, log: rows[0].log ?? undefined };
  }

  /**
   * Records the log, unless another process has recorded one meanwhile.
   *
   * @param before the log recorded so far.
   * @returns whether `log` is recorded now.
   */
  async use(before: string | undefined, log: string): Promise<boolean> {
    await this.pool.query(
      'UPDATE penstock.installation SET log = $2 WHERE log IS NOT DISTINCT FROM $1::text',
      [before, log],
    );
    return (await this.read(log)).log === log;
  }

  private async make(log: string): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.installation]);
      await client.query(MAKE);
      const earlier = await logOfRouters(client, log);
      if (earlier !== undefined)
        await client.query('UPDATE penstock.installation SET log = $1 WHERE log IS NULL', [
          earlier,
        ]);
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** From the tables of the routers, the only record of the log that earlier versions have left. */
const logOfRouters = async (client: PoolClient, log: string): Promise<string | undefined> => {
  const tables = await tablesIn(client);
  const logs = tables.has('penstock_router.log')
    ? await client.query<{ identity: string }>('SELECT identity FROM penstock_router.log')
    : { rows: [] };
  const [recorded] = logs.rows;
  if (recorded !== undefined || !tables.has('penstock_router.partitions'))
    return recorded?.identity;
  const partitions = await client.query('SELECT FROM penstock_router.partitions LIMIT 1');
  return partitions.rowCount === 0 ? undefined : log;
};
