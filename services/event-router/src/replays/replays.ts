import {
  type Actor,
  instant,
  type JobId,
  type PipelineId,
  REPLAY_DELIVERY_COUNTS,
  type ReplayDeliveryCounts,
  type ReplayState,
  type ReplayView,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { type Counts, replayRequest, type ReplayRequest, type WindowPart } from './replay-job';
import { noCounts, noExamples } from './slice-results';

/** A replay in mode `shadow` that is to be created. */
export interface NewReplay {
  readonly id: JobId;
  /** Identifies repetitions of the request; `null`: there are none. */
  readonly command: string | null;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly actor: Actor;
  readonly request: ReplayRequest;
  /** By partition. */
  readonly parts: readonly WindowPart[];
}

interface ReplayRow {
  readonly id: JobId;
  readonly pipeline: PipelineId;
  readonly actor: Actor;
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly state: ReplayState;
  readonly reason: string;
  readonly request: string;
  readonly read: number;
  readonly total: number;
  /** `null`: it delivers. */
  readonly rate: number | null;
  /** Seconds since it was created. */
  readonly age: number;
  readonly counts: Counts;
  readonly sent: Readonly<Record<string, number>>;
  readonly open: number;
}

/** A replay that was created by the same command is found again; the index of running ones refuses a second one. */
const CREATE = `
WITH job AS (
  INSERT INTO penstock_router.jobs (id, kind, workspace, pipeline, request, actor, command, state)
  VALUES ($1, 'Replay', $2, $3, $4, $5, $6, 'Running') ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO penstock_router.replays (job, starts, ends, positions, counts, kept)
SELECT id, $7, $8, $7, $9, $10 FROM job`;

/** Avoids a division by zero. */
const MIN_AGE_S = 0.001;

const KINDS = `('Replay', 'DeliveringReplay')`;
/** One statement, so that the numbers are those of one moment. */
const FOUND = `
SELECT j.id, j.pipeline, j.actor, (extract(epoch FROM j.created) * 1000)::float8 AS created_ms,
       (extract(epoch FROM j.ended) * 1000)::float8 AS ended_ms, j.state, r.reason, j.request, r.counts,
       CASE j.kind WHEN 'Replay' THEN r.rate END AS rate,
       extract(epoch FROM now() - j.created)::float8 AS age,
       CASE j.kind
         WHEN 'Replay' THEN (SELECT coalesce(sum(p - s), 0)::float8 FROM unnest(r.starts, r.positions) AS u (s, p))
         ELSE (SELECT coalesce(sum(p.position - r.starts[p.partition + 1]), 0)::float8
                 FROM penstock_router.replay_parts p WHERE p.job = j.id) END AS read,
       (SELECT coalesce(sum(e - s), 0)::float8 FROM unnest(r.starts, r.ends) AS u (s, e)) AS total,
       (SELECT coalesce(jsonb_object_agg(name, count), '{}')
          FROM (SELECT name, sum(count) AS count FROM penstock_router.job_counts c WHERE c.job = j.id GROUP BY name) sums
       ) AS sent,
       (SELECT count(*)::int FROM penstock_router.replay_deliveries d WHERE d.job = j.id) AS open
  FROM penstock_router.jobs j JOIN penstock_router.replays r ON r.job = j.id
 WHERE j.workspace = $1 AND j.pipeline = $2 AND j.kind IN ${KINDS}`;

const deliveriesOf = ({ sent, open }: ReplayRow): ReplayDeliveryCounts => ({
  ...(Object.fromEntries(
    REPLAY_DELIVERY_COUNTS.map((name) => [name, sent[name] ?? 0]),
  ) as ReplayDeliveryCounts),
  open,
});

const viewOf = (row: ReplayRow): ReplayView => {
  const { created_ms, ended_ms, counts, total, ...of } = row;
  // What is read has not been sent yet, as long as it is open.
  const read = row.read - row.open;
  const request = replayRequest(of.request);
  const isShadow = request.mode === 'shadow';
  const rate =
    row.state === 'Running' ? Math.round(row.rate ?? read / Math.max(row.age, MIN_AGE_S)) : 0;
  return {
    id: of.id,
    pipeline: of.pipeline,
    mode: request.mode,
    state: of.state,
    reason: of.reason,
    from: request.from,
    to: request.to,
    filter: request.filter,
    version: request.version,
    createdAt: instant(new Date(created_ms)),
    createdBy: of.actor,
    endedAt: ended_ms === null ? null : instant(new Date(ended_ms)),
    progress: {
      read,
      total,
      rate,
      remainingSeconds: rate === 0 ? null : Math.ceil((total - read) / rate),
    },
    summary: isShadow ? counts : null,
    deliveries: isShadow ? null : deliveriesOf(row),
  };
};

/** The replays of pipelines, as clients create, see and end them. */
export class Replays {
  constructor(private readonly pool: Pool) {}

  /** @returns the id of the replay, or of the one that the same command has created; undefined: another is running. */
  async create(replay: NewReplay): Promise<JobId | undefined> {
    const { id, workspace, pipeline, actor, request, parts } = replay;
    const command = replay.command ?? id;
    const starts = parts.map(({ start }) => start);
    const ends = parts.map(({ end }) => end);
    const job = [id, workspace, pipeline, JSON.stringify(request), actor, command];
    await this.pool.query(CREATE, [...job, starts, ends, noCounts(), noExamples()]);
    const { rows } = await this.pool.query<{ id: JobId }>(
      `SELECT id FROM penstock_router.jobs WHERE command = $1 AND kind = 'Replay'`,
      [command],
    );
    return rows[0]?.id;
  }

  /** At most `limit` replays of a pipeline, newest first. @param before the last one of the page before; empty: none. */
  async list(
    workspace: string,
    pipeline: string,
    { limit, before }: { readonly limit: number; readonly before: string },
  ): Promise<readonly ReplayView[]> {
    const { rows } = await this.pool.query<ReplayRow>(
      `${FOUND} AND ($3::text = '' OR j.id < $3::text) ORDER BY j.id DESC LIMIT $4`,
      [workspace, pipeline, before, limit],
    );
    return rows.map(viewOf);
  }

  async find(workspace: string, pipeline: string, id: string): Promise<ReplayView | undefined> {
    const { rows } = await this.pool.query<ReplayRow>(`${FOUND} AND j.id = $3`, [
      workspace,
      pipeline,
      id,
    ]);
    return rows[0] && viewOf(rows[0]);
  }

  /**
   * Ends a running replay: no checkpoint is written any more. One that delivers ends when its requests that are under way
   * have ended.
   *
   * @returns false: there is none with this id.
   */
  async cancel(workspace: string, pipeline: string, id: string): Promise<boolean> {
    await this.pool.query(
      `UPDATE penstock_router.jobs
          SET state = CASE kind WHEN 'Replay' THEN 'Cancelled' ELSE 'Cancelling' END,
              ended = CASE kind WHEN 'Replay' THEN now() END
        WHERE id = $1 AND workspace = $2 AND pipeline = $3 AND kind IN ${KINDS} AND ended IS NULL`,
      [id, workspace, pipeline],
    );
    return (await this.find(workspace, pipeline, id)) !== undefined;
  }

  /** Removes replays that ended longer ago than this, with their differences. */
  async sweep(days: number): Promise<void> {
    await this.pool.query(
      `DELETE FROM penstock_router.jobs WHERE kind IN ${KINDS} AND ended < now() - $1 * interval '1 day'`,
      [days],
    );
  }
}
