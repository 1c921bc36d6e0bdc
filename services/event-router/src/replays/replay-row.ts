import {
  type Actor,
  instant,
  type JobId,
  type PipelineId,
  REPLAY_DELIVERY_COUNTS,
  type ReplayCounts,
  type ReplayDeliveryCounts,
  type ReplayState,
  type ReplayView,
  type WorkspaceId,
} from '@penstock/contracts';
import { type Counts, replayRequest } from './replay-job';

/** A replay as it is stored. */
export interface ReplayRow {
  readonly id: JobId;
  readonly workspace: WorkspaceId;
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
  /** Numbers of one that delivers, by name. */
  readonly sent: Readonly<Record<string, number>>;
  readonly open: number;
  readonly cancelled_by: Actor | null;
  /** Number of the newest telling. */
  readonly told: number;
  readonly revision: number;
}

/** Avoids a division by zero. */
const MIN_AGE_S = 0.001;

/** The kinds of jobs that are replays, as a list of SQL. */
export const REPLAY_KINDS = `('Replay', 'DeliveringReplay')`;
/** Reads replays, to be followed by conditions: one statement, so that the numbers are those of one moment. */
export const REPLAY_ROWS = `
SELECT j.id, j.workspace, j.pipeline, j.actor, (extract(epoch FROM j.created) * 1000)::float8 AS created_ms,
       (extract(epoch FROM j.ended) * 1000)::float8 AS ended_ms, j.state, r.reason, j.request, r.counts,
       r.cancelled_by, r.told, r.revision::float8 AS revision,
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
 WHERE j.kind IN ${REPLAY_KINDS}`;

/** What a replay that delivers has counted. */
const deliveriesOf = ({ sent, open }: ReplayRow): ReplayDeliveryCounts => ({
  ...(Object.fromEntries(
    REPLAY_DELIVERY_COUNTS.map((name) => [name, sent[name] ?? 0]),
  ) as ReplayDeliveryCounts),
  open,
});

const summaryOf = ({ rejectedByOutput: _, ...counts }: Counts): ReplayCounts => counts;

/** A replay as a query answers it. */
export const replayView = (row: ReplayRow): ReplayView => {
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
    summary: isShadow ? summaryOf(counts) : null,
    deliveries: isShadow ? null : deliveriesOf(row),
  };
};
