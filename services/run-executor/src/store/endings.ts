import {
  instant,
  type Microtime,
  type PipelineId,
  type RunEndStatus,
  type RunFact,
  type RunId,
  type WorkspaceId,
} from '@penstock/contracts';
import { LeaseLost } from '../engine/lease-lost';
import type { Database } from './database';
import { addFact, orAway } from './postgres-ledger';
import { doubtfulUsers } from './doubtful-users';
import { IS_TO_APPLICATION } from './is-to-application';
import { storedError, storedWarnings } from './stored-texts';
import { recordCancel } from './record-cancel';
import { failUnwritten } from './unwritten-file';
import type { EndedRun, Finished, Postponed, RunEnding } from './run-store';

/** A run that no worker has had has seen nothing that would have to be forgotten. */
const END = `
UPDATE penstock_runs.runs
   SET status = $3, cursor = $4, error = $5, purged = greatest(purged, $6), warnings = warnings || $7::text[],
       ended = clock_timestamp(), cleaned = attempt = 0, facts = facts + 1
 WHERE id = $1 AND epoch = $2 AND ended IS NULL
RETURNING facts, passed::float8[] AS passed, failed::float8[] AS failed, purged::float8 AS purged, warnings, ended`;

const PRESENT =
  'SELECT epoch::float8 AS epoch, status FROM penstock_runs.runs WHERE id = $1 AND ended IS NOT NULL';

const UNFINISHED = `
SELECT id, pipeline, workspace, epoch::float8 AS epoch, status, cursor, error, ended, attempt > 0 AS "wasClaimed",
       incremental IS NULL AS "isExport", ${IS_TO_APPLICATION} AS "hasMatches"
  FROM penstock_runs.runs r`;

const IS_TO_TELL = 'ended IS NOT NULL AND NOT told';
const IS_TO_CLEAN = 'ended IS NOT NULL AND told AND NOT cleaned';

/** From one workspace to the next along the index: one whose warehouse is away may have very many. */
const LEFT = {
  told: `${UNFINISHED} WHERE ${IS_TO_TELL} AND id <> ALL ($2) AND workspace <> ALL ($3) ORDER BY id LIMIT $1`,
  cleaned: `
WITH RECURSIVE spaces AS (
  (SELECT workspace FROM penstock_runs.runs WHERE ${IS_TO_CLEAN} ORDER BY workspace LIMIT 1)
  UNION ALL
  SELECT next.workspace FROM spaces s CROSS JOIN LATERAL (
    SELECT workspace FROM penstock_runs.runs WHERE ${IS_TO_CLEAN} AND workspace > s.workspace ORDER BY workspace LIMIT 1
  ) AS next
)
SELECT oldest.* FROM spaces s CROSS JOIN LATERAL (
  ${UNFINISHED} WHERE ${IS_TO_CLEAN} AND r.workspace = s.workspace AND id <> ALL ($2) ORDER BY id LIMIT $1
) AS oldest
 WHERE s.workspace <> ALL ($3) ORDER BY oldest.id LIMIT $1`,
} as const;

const FINISH = {
  told: 'UPDATE penstock_runs.runs SET told = true WHERE id = $1',
  cleaned: 'UPDATE penstock_runs.runs SET cleaned = true WHERE id = $1',
} as const;

/** The fact that records an end. */
export const FACT_OF = {
  Succeeded: 'RunSucceeded',
  Failed: 'RunFailed',
  Cancelled: 'RunCancelled',
} as const satisfies Record<RunEndStatus, RunFact['type']>;

interface EndedRow {
  readonly facts: number;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly purged: number;
  readonly warnings: readonly string[];
  readonly ended: Date;
}

interface UnfinishedRow {
  readonly id: RunId;
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
  readonly epoch: number;
  readonly status: RunEndStatus;
  readonly cursor: Microtime | null;
  readonly error: string;
  readonly ended: Date;
  readonly wasClaimed: boolean;
  readonly isExport: boolean;
  readonly hasMatches: boolean;
}

/** Ends runs, and keeps what is left to be done for them. */
export class Endings {
  constructor(private readonly database: Database) {}

  /** Ends a run, once. @throws LeaseLost, Away */
  end(run: RunId, epoch: number, ending: RunEnding): Promise<void> {
    const { status, cursor, step, code, purged } = ending;
    const error = storedError(ending.error);
    return orAway(() =>
      this.database.transaction(async (db) => {
        // A worker hears of a cancel at once, and may have ended the run before the request is taken over.
        if (ending.cancel !== undefined) await recordCancel(db, run, ending.cancel);
        await failUnwritten(db, run, epoch);
        const doubtful = status === 'Succeeded' ? [] : await doubtfulUsers(db, run);
        const warnings = [...storedWarnings(ending.warnings), ...doubtful];
        const values = [run, epoch, status, cursor, error, purged, warnings];
        const { rows } = await db.query<EndedRow>(END, values);
        const [row] = rows;
        if (row === undefined) {
          const present = await db.query<{ epoch: number; status: string }>(PRESENT, [run]);
          const isSame = present.rows[0]?.epoch === epoch && present.rows[0].status === status;
          if (!isSame) throw new LeaseLost();
          return;
        }
        const { facts, ended, ...totals } = row;
        const endedAt = instant(ended);
        const data = { ...totals, status, cursor, step, code, error, endedAt };
        await addFact(db, run, facts, { type: FACT_OF[status], data });
      }),
    );
  }

  /** Oldest first. */
  async left(what: Finished, limit: number, but: Postponed): Promise<readonly EndedRun[]> {
    const { runs, workspaces } = but;
    const rows = await this.database.rows<UnfinishedRow>(LEFT[what], [limit, runs, workspaces]);
    return rows.map(({ id, ended, ...row }) => ({ ...row, run: id, endedAt: instant(ended) }));
  }

  /** Something was done for an ended run. */
  async finish(run: RunId, done: Finished): Promise<void> {
    await this.database.rows(FINISH[done], [run]);
  }
}
