import {
  ADVISORY_LOCK,
  type CancelReason,
  type ConnectionId,
  MAX_ERROR_SAMPLES,
  type Microtime,
  type PipelineId,
  type RunCancel,
  type RunId,
  type RunPipelineState,
  type RunPosition,
  type WarehouseMode,
  type WorkspaceId,
} from '@penstock/contracts';
import { microtimeOf } from '../engine/microtime';
import { addFact } from './postgres-ledger';
import type { Database } from './database';
import { IS_TO_APPLICATION } from './is-to-application';
import { recordCancel } from './record-cancel';
import type { CancelledRun, ClaimedRun, RunStoreOptions } from './run-store';

/** What may be claimed, of what is no replay of events: lapsed ones first, then of each workspace with room the oldest, by the turns of workspaces. */
const NEXT = `
WITH live AS (
  SELECT id, workspace, status, lease_until, cancel FROM penstock_runs.runs
   WHERE ended IS NULL AND replay_mode IS NULL
), running AS (
  SELECT workspace, count(*) AS count FROM live WHERE status = 'Running' GROUP BY workspace
), lapsed AS (
  SELECT id, workspace FROM live
   WHERE status = 'Running' AND cancel IS NULL AND lease_until < clock_timestamp()
), queued AS (
  SELECT DISTINCT ON (l.workspace) l.id, l.workspace FROM live l LEFT JOIN running r USING (workspace)
   WHERE l.status = 'Queued' AND l.cancel IS NULL AND coalesce(r.count, 0) < $1
   ORDER BY l.workspace, l.id
)
SELECT id, workspace FROM (
  SELECT id, workspace, 0 AS rank FROM lapsed UNION ALL SELECT id, workspace, 1 FROM queued
) AS candidates LEFT JOIN penstock_runs.turns USING (workspace)
ORDER BY rank, served NULLS FIRST, id LIMIT 1`;

/** A claim that is not the first leaves out the number that the one before may have written and not settled. */
const CLAIM = `
UPDATE penstock_runs.runs
   SET status = 'Running', waiting = NULL, worker = $2, epoch = epoch + 1, attempt = attempt + 1, facts = facts + 1,
       lease_until = clock_timestamp() + $3 * interval '1 millisecond',
       unsettled = CASE WHEN attempt = 0 THEN unsettled
                        ELSE unsettled || greatest(sequence + 1, next_batch) END,
       next_batch = CASE WHEN attempt = 0 THEN next_batch
                         ELSE greatest(sequence + 1, next_batch) + 1 END
 WHERE id = $1
RETURNING id, workspace, pipeline, connection, pipeline_version AS "pipelineVersion", definition, incremental,
          starting_cursor AS "startingCursor", requested, epoch::float8 AS epoch, facts, next_batch AS "nextBatch",
          reading_from AS "readingFrom", unsettled, position, cursor, passed::float8[] AS passed,
          failed::float8[] AS failed, duplicates::float8 AS duplicates, without_id::float8 AS "withoutId", warnings,
          ARRAY(SELECT place FROM penstock_runs.errors e, unnest(e.places) AS place
                 WHERE e.run = $1 AND e.without_id > 0 LIMIT ${String(MAX_ERROR_SAMPLES)}) AS "placesWithoutId"`;

const SERVE = `
INSERT INTO penstock_runs.turns (workspace, served) VALUES ($1, nextval('penstock_runs.serving'))
ON CONFLICT (workspace) DO UPDATE SET served = excluded.served`;

/** Renews no lease that has lapsed, or that was given back while the renewal was under way. */
const RENEW = `
UPDATE penstock_runs.runs SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
 WHERE id = $1 AND epoch = $2 AND ended IS NULL AND lease_until >= clock_timestamp()`;

const RELEASE = `
UPDATE penstock_runs.runs SET lease_until = clock_timestamp() - interval '1 millisecond'
 WHERE id = $1 AND epoch = $2 AND ended IS NULL`;

/** Who ends a cancelled run has it as long as another one leaves it alone. */
const TAKE_CANCELLED = `
UPDATE penstock_runs.runs r
   SET epoch = r.epoch + 1, cancel_at = clock_timestamp(), worker = '', lease_until = 'infinity'
  FROM (SELECT id, status FROM penstock_runs.runs
         WHERE ended IS NULL AND cancel IS NOT NULL AND replay_mode IS NULL
           AND ((status = 'Queued' AND lease_until IS NULL) OR lease_until < clock_timestamp()
                OR cancel_at < clock_timestamp() - $1 * interval '1 millisecond')
         ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) AS due
 WHERE r.id = due.id
RETURNING r.id AS run, r.workspace, r.cancel AS reason, r.cancel_mode AS mode, r.epoch::float8 AS epoch, r.attempt > 0 AND (r.incremental IS NOT NULL OR ${IS_TO_APPLICATION}) AS "mayWrite"`;

interface ClaimedRow extends Omit<
  ClaimedRun,
  'run' | 'definition' | 'position' | 'startedAt' | 'startingCursor'
> {
  readonly id: RunId;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  readonly definition: string | null;
  readonly startingCursor: Microtime | null;
  readonly requested: Date;
  readonly position: string;
  readonly facts: number;
}

interface CancelledRow extends Omit<CancelledRun, 'cancel'> {
  readonly reason: CancelReason;
  readonly mode: WarehouseMode | null;
}

const claimedRun = ({
  id,
  definition,
  position,
  requested,
  facts: _,
  ...row
}: ClaimedRow): ClaimedRun => ({
  ...row,
  run: id,
  startedAt: microtimeOf(requested.toISOString()),
  position: JSON.parse(position) as RunPosition,
  definition: definition === null ? null : (JSON.parse(definition) as RunPipelineState),
});

/** Gives runs to workers, by the database's clock. */
export class Claims {
  constructor(
    private readonly database: Database,
    private readonly options: RunStoreOptions,
  ) {}

  /** Gives the next run to a worker. */
  claim(worker: string): Promise<ClaimedRun | undefined> {
    const { leaseMs, runsOfWorkspace } = this.options;
    return this.database.transaction(async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.claimRuns]);
      const next = await db.query<{ id: RunId }>(NEXT, [runsOfWorkspace]);
      const [chosen] = next.rows;
      if (chosen === undefined) return undefined;
      const { rows } = await db.query<ClaimedRow>(CLAIM, [chosen.id, worker, leaseMs]);
      const [row] = rows;
      if (row === undefined) return undefined;
      await db.query(SERVE, [row.workspace]);
      const data = { worker, epoch: row.epoch };
      await addFact(db, row.id, row.facts, { type: 'RunClaimed', data });
      return claimedRun(row);
    });
  }

  /** @returns whether the claim holds. */
  async renew(run: RunId, epoch: number): Promise<boolean> {
    return this.database.transaction(async (db) => {
      const { rowCount } = await db.query(RENEW, [run, epoch, this.options.leaseMs]);
      return rowCount === 1;
    });
  }

  /** Gives a run back. */
  async release(run: RunId, epoch: number): Promise<void> {
    await this.database.rows(RELEASE, [run, epoch]);
  }

  /** Takes over what is to be ended. */
  async takeCancelled(graceMs: number): Promise<readonly CancelledRun[]> {
    const rows = await this.database.rows<CancelledRow>(TAKE_CANCELLED, [graceMs]);
    return rows.map(({ reason, mode, ...row }) => ({
      ...row,
      cancel: { reason, ...(mode !== null && { mode }) },
    }));
  }

  /** Records that the cancel was requested. */
  requestCancel(run: RunId, cancel: RunCancel): Promise<void> {
    return this.database.transaction((db) => recordCancel(db, run, cancel));
  }
}
