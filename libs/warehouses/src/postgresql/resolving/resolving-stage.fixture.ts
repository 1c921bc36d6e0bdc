import {
  type ProfileRow,
  type EventRow,
  NEVER,
  OPTIONS,
  PROFILES,
  Resolving,
} from '../../platform/resolving.fixture';
import type { StoredRow } from '../../platform/naive-resolution.fixture';
import type { IdentityWriter, WarehouseWriter } from '../../platform/warehouse-writer';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

export {
  COLUMNS,
  NEVER,
  OPTIONS,
  PROFILES,
  resolveAll,
  rules,
} from '../../platform/resolving.fixture';

/** Tables that a resolution may change. */
const CHANGED = [
  'identities',
  'identity_keys',
  'profiles',
  'profile_aliases',
  'dirty',
  'moving',
  'outbox',
  'events',
];

/** A warehouse on PostgreSQL with what writes into it, and looks behind it. */
export class ResolvingStage extends Resolving<WarehouseWriter> {
  static async open(server?: string): Promise<ResolvingStage> {
    const written = await writtenStage(MINE, server);
    await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
    const writers = await written.stage.writer(written.loader, OPTIONS, NEVER);
    const identities = await writers.begin({ role: 'run run1', epoch: 1 });
    return new ResolvingStage(written, writers, identities);
  }

  private readonly end = new AbortController();

  private constructor(
    readonly written: WrittenStage,
    writers: WarehouseWriter,
    identities: IdentityWriter,
  ) {
    super(writers, identities);
  }

  /** Does the work while a transaction has changed rows that it wants, and ends it once the work waits for that. */
  async besideChange(change: string, work: () => Promise<unknown>): Promise<void> {
    const { stage } = this.written;
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
    await stage.run('BEGIN', change);
    const working = work();
    const early = working.then(() => Promise.reject(new Error('it has not waited')));
    early.catch(() => undefined);
    const look = async (): Promise<boolean> => (await stage.rows(waiting)).length > 0;
    while (!(await Promise.race([look(), early])));
    await stage.run('COMMIT');
    await working;
  }

  reader(): Promise<WarehouseReader> {
    const options = { workspace: MINE, epoch: 1, connections: 1 };
    return this.written.stage.reader(this.written.loader, options, this.end.signal);
  }

  async rows(): Promise<readonly StoredRow[]> {
    const rows = await this.written.stage.rows(
      `SELECT to_jsonb(i) AS row FROM ${SCHEMA}._identities AS i ORDER BY _id`,
    );
    return (rows as { row: StoredRow }[]).map(({ row }) => row);
  }

  async profiles(): Promise<readonly ProfileRow[]> {
    const rows = await this.written.stage.rows(
      `SELECT to_jsonb(p) || jsonb_build_object('_created_us', extract(epoch FROM _created_at) * 1000000) AS row
       FROM ${SCHEMA}._profiles AS p`,
    );
    return (rows as { row: ProfileRow }[]).map(({ row }) => row);
  }

  async aliases(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.written.stage.rows(
      `SELECT alias, profile_id FROM ${SCHEMA}._profile_aliases`,
    );
    const pairs = rows as { alias: string; profile_id: string }[];
    return new Map(pairs.map(({ alias, profile_id }) => [alias, profile_id]));
  }

  async events(): Promise<readonly EventRow[]> {
    return (await this.written.stage.rows(
      `SELECT connection_id, user_id, anonymous_id, profile_id FROM ${SCHEMA}._events`,
    )) as EventRow[];
  }

  contents(): Promise<readonly unknown[]> {
    return this.written.stage.rows(
      CHANGED.map(
        (name) =>
          `SELECT '${name}' AS name, coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text), '[]') AS rows
           FROM ${SCHEMA}._${name} AS t`,
      ).join(' UNION ALL '),
    );
  }

  setSchemaVersion(version: number): Promise<void> {
    return this.written.setSchemaVersion(version);
  }

  async empty(): Promise<void> {
    const erasure = ['erased', 'erased_profiles', 'erasures', 'erasing', 'profile_history'];
    const all = [...CHANGED, ...erasure, 'seen'].map((name) => `${SCHEMA}._${name}`);
    await this.written.stage.run(`TRUNCATE ${all.join(', ')}`);
  }

  async close(): Promise<void> {
    this.end.abort();
    await this.writers.close();
    await this.written.close();
  }
}
