import { ADVISORY_LOCK, type WorkspaceId } from '@penstock/contracts';
import type { Pool } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import { cleanText } from '../store/clean-text';
import { Database } from '../store/database';
import {
  type ClaimedRemoval,
  type DeletedPipeline,
  type RemovalClaim,
  RemovalStore,
  type WritingPipeline,
} from './removal-store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Pauses between passes: a router, or a worker, that did not know of the deletion yet may have written after a pass. The
 * last pass is later than any delivery that was accepted before the deletion is kept.
 */
const PAUSES_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS, 31 * DAY_MS];

/** How long a removal waits for the runs of its pipeline before they are looked at again. */
const WAIT_MS = 2_000;
/** Removals of a workspace that are looked at for one that waits for no run. */
const LOOKED_AT = 20;
/** Workspaces that are looked at in one claim. */
const WORKSPACES = 50;

/** More than profiles have at a time: who changes their schema over and over makes the row no larger. */
const MAX_LOST = 5_000;

/** From the first pass on; whoever has it claimed has it no more. */
const ANEW = `owed = true, pass = 0, due = clock_timestamp(), epoch = r.epoch + 1, lease_until = NULL, failures = 0, error = ''`;

const ACCEPT = `
INSERT INTO penstock_runs.removals AS r (pipeline, workspace, deleted, owed)
SELECT *, true, true FROM unnest($1::text[], $2::text[])
ON CONFLICT (pipeline) DO UPDATE SET deleted = true, lost = '{}', ${ANEW} WHERE NOT r.deleted`;

/** After {@link ACCEPT}. */
const REPEAT = `
UPDATE penstock_runs.removals SET due = least(due, clock_timestamp()), owed = true WHERE pipeline = $1`;

const NOTED = `jsonb_to_recordset($1::jsonb) AS noted (pipeline text, workspace text, version integer, properties jsonb)`;

const WRITTEN = 'ARRAY(SELECT jsonb_array_elements_text(noted.properties))';

/** Before they are noted. */
const LOSE = `
UPDATE penstock_runs.removals AS r SET ${ANEW} FROM ${NOTED}
 WHERE r.pipeline = noted.pipeline AND NOT r.deleted AND r.version < noted.version
   AND EXISTS (SELECT unnest(r.properties) EXCEPT SELECT jsonb_array_elements_text(noted.properties))`;

/** Sets are compared by hashes: there may be a thousand properties in each. */
const LOST = `
ARRAY(SELECT path FROM unnest(r.properties || r.lost) WITH ORDINALITY AS each (path, place)
       WHERE NOT EXISTS (SELECT FROM unnest(excluded.properties) AS written WHERE written = path)
       GROUP BY path ORDER BY min(place) LIMIT ${String(MAX_LOST)})`;

/** What was postponed is tried at once. */
const NOTE = `
INSERT INTO penstock_runs.removals AS r (pipeline, workspace, deleted, version, properties, owed)
SELECT pipeline, workspace, false, version, ${WRITTEN}, false FROM ${NOTED}
ON CONFLICT (pipeline) DO UPDATE
   SET version = excluded.version, properties = excluded.properties, failures = 0,
       due = CASE WHEN r.failures > 0 THEN clock_timestamp() ELSE r.due END,
       (lost, owed) = (SELECT lost, r.owed AND (r.has_changed OR lost <> '{}') FROM (SELECT ${LOST} AS lost) AS now)
 WHERE NOT r.deleted AND r.version < excluded.version`;

const IS_DUE = 'owed AND due <= clock_timestamp()';

/** Whether a removal of a workspace is claimed. */
const isHeld = (workspace: string): string => `
  EXISTS (SELECT FROM penstock_runs.removals o
           WHERE o.owed AND o.workspace = ${workspace} AND o.lease_until >= clock_timestamp())`;

/** One look into an index for each workspace, however much is owed there, and one in all where nothing is due. */
const DUE = `
WITH RECURSIVE first (workspace, due) AS (
  (SELECT workspace, due FROM penstock_runs.removals
    WHERE owed AND EXISTS (SELECT FROM penstock_runs.removals WHERE ${IS_DUE})
    ORDER BY workspace, due LIMIT 1)
  UNION ALL
  SELECT next.* FROM first CROSS JOIN LATERAL (
    SELECT r.workspace, r.due FROM penstock_runs.removals r WHERE r.owed AND r.workspace > first.workspace
     ORDER BY r.workspace, r.due LIMIT 1) AS next
)
SELECT workspace FROM first WHERE due <= clock_timestamp() AND NOT ${isHeld('first.workspace')} ORDER BY due`;

const IS_OF_PIPELINE =
  'u.pipeline = r.pipeline AND u.replay_mode IS NULL AND (r.deleted OR u.pipeline_version < r.version)';

/**
 * Runs that may still write: those that have not ended, and those that the warehouse does not refuse yet. An index holds either
 * alone.
 */
const IS_WRITTEN = `(
  EXISTS (SELECT FROM penstock_runs.runs u WHERE u.ended IS NULL AND u.workspace = r.workspace AND ${IS_OF_PIPELINE})
  OR EXISTS (SELECT FROM penstock_runs.runs u
              WHERE u.ended IS NOT NULL AND NOT u.cleaned AND ${IS_OF_PIPELINE}))`;

/** Epochs go on where the store was lost and made anew: they are milliseconds of the database's clock. */
const CLAIM = `
WITH oldest AS (
  SELECT * FROM penstock_runs.removals
   WHERE ${IS_DUE} AND workspace = $3 AND NOT ${isHeld('$3')}
   ORDER BY due, pipeline LIMIT ${String(LOOKED_AT)} FOR UPDATE SKIP LOCKED
), looked AS (
  SELECT pipeline, due, ${IS_WRITTEN} AS is_written FROM oldest AS r
), waiting AS (
  UPDATE penstock_runs.removals r SET due = clock_timestamp() + interval '${String(WAIT_MS)} milliseconds'
    FROM looked WHERE r.pipeline = looked.pipeline AND is_written
), next AS (
  SELECT pipeline FROM looked WHERE NOT is_written ORDER BY due, pipeline LIMIT 1
)
UPDATE penstock_runs.removals r
   SET worker = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',
       epoch = greatest(r.epoch + 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  FROM next WHERE r.pipeline = next.pipeline
RETURNING r.pipeline, r.workspace, r.deleted, r.version, r.lost, r.epoch::float8 AS epoch,
          r.has_changed AS "hasChanged", r.failures`;

/** Removals in the schema `penstock_runs` of the database that the services share. */
export class PostgresRemovalStore extends RemovalStore {
  private readonly database: Database;

  /** @param options milliseconds for which a claim or its renewal holds. */
  constructor(
    pool: Pool,
    private readonly options: { readonly leaseMs: number },
  ) {
    super();
    this.database = new Database(pool);
  }

  override async accept(deleted: readonly DeletedPipeline[]): Promise<void> {
    const pipelines = deleted.map(({ pipeline }) => pipeline);
    const workspaces = deleted.map(({ workspace }) => workspace);
    await this.database.rows(ACCEPT, [pipelines, workspaces]);
  }

  override async note(writing: readonly WritingPipeline[]): Promise<void> {
    const noted = JSON.stringify(writing);
    await this.database.transaction(async (db) => {
      await db.query(LOSE, [noted]);
      await db.query(NOTE, [noted]);
    });
  }

  override async repeat(deleted: DeletedPipeline): Promise<void> {
    await this.accept([deleted]);
    await this.database.rows(REPEAT, [deleted.pipeline]);
  }

  override async due(): Promise<readonly WorkspaceId[]> {
    const rows = await this.database.rows<{ workspace: WorkspaceId }>(DUE);
    return rows.map(({ workspace }) => workspace);
  }

  override async claim(
    worker: string,
    workspaces: readonly WorkspaceId[],
  ): Promise<ClaimedRemoval | undefined> {
    return this.database.transaction(async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.claimRemovals]);
      for (const workspace of workspaces.slice(0, WORKSPACES)) {
        const values = [worker, this.options.leaseMs, workspace];
        const { rows } = await db.query<ClaimedRemoval>(CLAIM, values);
        if (rows[0] !== undefined) return rows[0];
      }
      return undefined;
    });
  }

  override renew(claim: RemovalClaim): Promise<boolean> {
    const lease = `lease_until = clock_timestamp() + $3 * interval '1 millisecond'`;
    return this.isSet(claim, lease, [this.options.leaseMs]);
  }

  override async release(claim: RemovalClaim): Promise<void> {
    await this.isSet(claim, 'lease_until = NULL, due = clock_timestamp(), failures = 0');
  }

  override async postpone(claim: RemovalClaim, ms: number, error: string): Promise<void> {
    await this.isSet(
      claim,
      `lease_until = NULL, due = clock_timestamp() + $3 * interval '1 millisecond', failures = failures + 1,
       error = $4`,
      [ms, cleanText(error)],
    );
  }

  override async change(claim: RemovalClaim): Promise<void> {
    if (!(await this.isSet(claim, 'has_changed = true')))
      throw new LeaseLost('another worker has the removal');
  }

  override async end(claim: RemovalClaim): Promise<void> {
    const members = `
      lease_until = NULL, has_changed = false, failures = 0, error = '', pass = pass + 1,
      owed = pass < cardinality($3::float8[]) AND (deleted OR lost <> '{}'),
      lost = CASE WHEN pass < cardinality($3::float8[]) THEN lost ELSE '{}' END,
      due = clock_timestamp() + coalesce(($3::float8[])[pass + 1], 0) * interval '1 millisecond'`;
    if (!(await this.isSet(claim, members, [PAUSES_MS])))
      throw new LeaseLost('another worker has the removal');
  }

  override async drop({ pipeline, epoch }: RemovalClaim): Promise<void> {
    await this.database.rows(
      'DELETE FROM penstock_runs.removals WHERE pipeline = $1 AND epoch = $2',
      [pipeline, epoch],
    );
  }

  /** Sets members of what is claimed, of which the first parameter is `$3`. @returns whether the claim holds */
  private async isSet(
    { pipeline, epoch }: RemovalClaim,
    members: string,
    values: readonly unknown[] = [],
  ): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE penstock_runs.removals SET ${members}
        WHERE pipeline = $1 AND epoch = $2 AND owed AND lease_until IS NOT NULL RETURNING pipeline`,
      [pipeline, epoch, ...values],
    );
    return rows.length === 1;
  }
}
