import {
  type ConnectionId,
  instant,
  type Microtime,
  type PipelineId,
  type ReplayMode,
  RUN_STEPS,
  type RunFact,
  type RunFactView,
  type RunId,
  type RunProgress,
  type RunStatus,
  type RunTrigger,
  type RunView,
  type RunWait,
  type StepCounts,
} from '@penstock/contracts';
import { adviceOf } from '../engine/run-error-codes';
import type { Database } from './database';
import type { PageWanted, Placed, RunsWanted, StoredRunError } from './run-store';

/** Seconds over which the rate of a run is computed. */
const RATE_SECONDS = 10;

/** A run is shown as ended once its pipeline may run again: who sees the end can ask for the next run. */
const STATUS = `CASE WHEN ended IS NOT NULL AND NOT told THEN 'Running' ELSE status END`;

const RUN = `
SELECT id, pipeline, pipeline_name AS "pipelineName", connection, pipeline_version AS "pipelineVersion", trigger,
       replay_mode AS "replayMode",
       ${STATUS} AS status, incremental, starting_cursor AS "startingCursor",
       requested, CASE WHEN told THEN ended END AS ended, passed::float8[] AS passed, failed::float8[] AS failed, error, attempt,
       purged::float8 AS purged, warnings || waited AS warnings, CASE WHEN ended IS NULL THEN waiting END AS waiting, total::float8 AS total, share,
       eta, CASE WHEN ended IS NULL THEN
         coalesce(rate, (SELECT coalesce(sum(f.received), 0)::float8 / ${String(RATE_SECONDS)} FROM penstock_runs.facts f
           WHERE f.run = r.id AND f.at > clock_timestamp() - interval '${String(RATE_SECONDS)} seconds'
             AND f.number > r.facts - 10000))
       ELSE 0 END AS rate
  FROM penstock_runs.runs r`;

const WANTED = `
 WHERE workspace = $1 AND ($2::text IS NULL OR pipeline = $2)
   AND ($4::timestamptz IS NULL OR requested >= $4) AND ($5::timestamptz IS NULL OR requested < $5)
   AND ($6 = '' OR id < $6)`;
const NEWEST_FIRST = 'ORDER BY id DESC LIMIT $7';

/** An index knows those that are live, another one the status of those that have ended: both may be few of very many. */
const LIST = {
  any: `${RUN} ${WANTED} AND $3::text IS NULL ${NEWEST_FIRST}`,
  live: `${RUN} ${WANTED} AND ${STATUS} = $3 AND id = ANY (ARRAY(
    SELECT id FROM penstock_runs.runs WHERE workspace = $1 AND ended IS NULL
    UNION ALL
    SELECT id FROM penstock_runs.runs WHERE ended IS NOT NULL AND NOT told AND workspace = $1)) ${NEWEST_FIRST}`,
  ended: `${RUN} ${WANTED} AND status = $3 AND told ${NEWEST_FIRST}`,
} as const;

const kindOf = (status: RunStatus | null): keyof typeof LIST => {
  if (status === null) return 'any';
  return status === 'Queued' || status === 'Running' ? 'live' : 'ended';
};

const FIND = `${RUN} WHERE workspace = $1 AND id = $2`;

/** Cursors are `<step>-<count>-<id>`: groups of a live run may move between two pages, none is left out of an ended one. */
const ERRORS = `
SELECT id::float8 AS id, step, code, message, count::float8 AS count, first_at AS "firstAt", last_at AS "lastAt", samples, places, texts
  FROM penstock_runs.errors
 WHERE run = $1 AND count > 0 AND ($2::integer IS NULL OR (step, -count, id) > ($2, -$3::bigint, $4::bigint))
 ORDER BY step, -count, id LIMIT $5`;

const FACTS = `
SELECT number, at, actor, type, data FROM penstock_runs.facts
 WHERE run = $1 AND number > $2 ORDER BY number LIMIT $3`;

interface RunRow {
  readonly id: RunId;
  readonly pipeline: PipelineId;
  readonly pipelineName: string;
  readonly connection: ConnectionId;
  readonly pipelineVersion: number | null;
  readonly trigger: RunTrigger;
  readonly replayMode: ReplayMode | null;
  readonly status: RunStatus;
  readonly incremental: boolean | null;
  readonly startingCursor: Microtime | null;
  readonly requested: Date;
  readonly ended: Date | null;
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  readonly error: string;
  readonly attempt: number;
  readonly purged: number;
  readonly warnings: readonly string[];
  /** JSON of a wait. */
  readonly waiting: string | null;
  readonly total: number | null;
  readonly share: number | null;
  readonly rate: number;
  /** As routers have told it of a replay of events. */
  readonly eta: number | null;
}

const ZEROS: StepCounts = RUN_STEPS.map(() => 0);

/** Records that are left; `null` when that cannot be told, as when all was read and is still being written. */
const leftOf = ({ passed, failed, total, share }: RunRow): number | null => {
  const received = (passed[0] ?? 0) + (failed[0] ?? 0);
  if (total !== null) return Math.max(0, total - received);
  return share === null || share <= 0 || share >= 1 ? null : (received * (1 - share)) / share;
};

const progressOf = (row: RunRow): RunProgress => {
  const { passed, failed, rate, total } = row;
  if (row.replayMode !== null) return { passed, failed, rate, eta: row.eta, total };
  const left = leftOf(row);
  const eta = left === null || rate === 0 ? null : Math.ceil(left / rate);
  return { passed, failed, rate, eta, total };
};

const viewOf = (row: RunRow): RunView => {
  const { requested, ended, passed, failed, waiting, rate: _, eta: _eta, ...more } = row;
  const { total: _total, share: _share, ...rest } = more;
  const isLive = ended === null;
  return {
    ...rest,
    startTime: instant(requested),
    endTime: isLive ? null : instant(ended),
    passed: isLive ? ZEROS : passed,
    failed: isLive ? ZEROS : failed,
    progress: isLive ? progressOf(row) : null,
    waiting: waiting === null ? null : (JSON.parse(waiting) as RunWait),
  };
};

interface ErrorRow extends Omit<StoredRunError, 'step' | 'advice' | 'firstAt' | 'lastAt'> {
  readonly id: number;
  readonly step: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

interface FactRow {
  readonly number: number;
  readonly at: Date;
  readonly actor: string;
  readonly type: RunFact['type'];
  readonly data: string;
}

const PLACE = /^(\d)-(\d{1,18})-(\d{1,18})$/;

/** Reads runs for queries. */
export class RunReads {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(
    workspace: string,
    { pipeline, status, from, to }: RunsWanted,
    { limit, after }: PageWanted,
  ): Promise<readonly RunView[]> {
    const values = [workspace, pipeline, status, from, to, after, limit];
    return (await this.database.rows<RunRow>(LIST[kindOf(status)], values)).map(viewOf);
  }

  /** @returns undefined when the workspace has no such run. */
  async find(workspace: string, run: string): Promise<RunView | undefined> {
    const [row] = await this.database.rows<RunRow>(FIND, [workspace, run]);
    return row && viewOf(row);
  }

  /** By step, the most frequent first. */
  async errorsOf(run: RunId, { limit, after }: PageWanted): Promise<Placed<StoredRunError>[]> {
    const [, step = null, count = null, id = null] = PLACE.exec(after) ?? [];
    const rows = await this.database.rows<ErrorRow>(ERRORS, [run, step, count, id, limit]);
    return rows.map(({ id: number, step: index, firstAt, lastAt, ...row }) => ({
      place: `${String(index)}-${String(row.count)}-${String(number)}`,
      view: {
        ...row,
        advice: adviceOf(row.code),
        step: RUN_STEPS[index] ?? 'Receive',
        firstAt: instant(firstAt),
        lastAt: instant(lastAt),
      },
    }));
  }

  /** In their order. */
  async factsOf(run: RunId, { limit, after }: PageWanted): Promise<Placed<RunFactView>[]> {
    const number = after === '' ? 0 : Number(after);
    const rows = await this.database.rows<FactRow>(FACTS, [run, number, limit]);
    return rows.map(({ number: place, at, type, ...row }) => ({
      place: String(place),
      view: {
        ...row,
        type: type === 'RunAccepted' ? 'RunRequested' : type,
        time: instant(at),
      },
    }));
  }
}
