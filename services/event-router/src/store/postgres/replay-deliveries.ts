import type { JobId } from '@penstock/contracts';
import type { OpenReplayed } from '../changes';
import type { EndedJobState } from '../jobs/job';
import { type NewReplay, ReplayDeliveryStore, type ReplayRest } from '../replay-delivery-store';
import type { OffsetRange } from '../router-store';
import type { Database } from './sql/database';

/** A replay that was created by the same command is found again; the index of running ones refuses a second one. */
const CREATE = `
WITH job AS (
  INSERT INTO penstock_router.jobs (id, kind, workspace, pipeline, request, actor, command, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 'Running') ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO penstock_router.replays (job, starts, ends, positions, counts, kept)
SELECT id, $8, $9, $8, '{}', '{}' FROM job`;

const CREATED = `SELECT id FROM penstock_router.jobs WHERE command = $1 AND kind = $2`;

/** One statement, so that position and open deliveries are those of one moment. */
const REST = `
SELECT r.starts[$2 + 1] AS start, r.ends[$2 + 1] AS "end", coalesce(p.position, r.starts[$2 + 1]) AS position,
       coalesce((SELECT json_agg(json_build_object(
                          'offset', d."offset", 'orderKey', d.order_key, 'attempts', d.attempts,
                          'dueMs', floor(extract(epoch FROM d.due) * 1000)) ORDER BY d."offset")
                   FROM penstock_router.replay_deliveries d
                  WHERE d.job = r.job AND d.partition = $2), '[]') AS open,
       (SELECT count(*)::int FROM penstock_router.replay_failures f WHERE f.job = r.job AND f.partition = $2) AS failures
  FROM penstock_router.replays r JOIN penstock_router.jobs j ON j.id = r.job
  LEFT JOIN penstock_router.replay_parts p ON p.job = r.job AND p.partition = $2
 WHERE r.job = $1 AND j.state = 'Running' AND r.starts[$2 + 1] IS NOT NULL`;

const STOP = `
WITH job AS (
  UPDATE penstock_router.jobs SET state = 'Cancelling'
   WHERE id = $1 AND kind = 'DeliveringReplay' AND state = 'Running' RETURNING id
)
UPDATE penstock_router.replays r SET ends_as = $2, reason = $3 FROM job WHERE r.job = job.id`;

/** The partitions of a replay's window in which something is left of it. */
const UNFINISHED = `
SELECT FROM unnest(r.starts, r.ends) WITH ORDINALITY AS w (start, "end", number)
  LEFT JOIN penstock_router.replay_parts p ON p.job = r.job AND p.partition = w.number - 1
 WHERE coalesce(p.position, w.start) < w."end"
    OR EXISTS (SELECT FROM penstock_router.replay_deliveries d WHERE d.job = r.job AND d.partition = w.number - 1)`;

/** An owner has stopped under its epoch. */
const IS_STOPPED = `
SELECT FROM penstock_router.redrive_stops s JOIN penstock_router.partitions o USING (partition, epoch)
 WHERE s.job = r.job AND s.partition = w.number - 1`;

const END_DONE = `
WITH ended AS (
  UPDATE penstock_router.jobs j
     SET state = CASE j.state WHEN 'Running' THEN 'Succeeded' ELSE r.ends_as END, ended = now()
    FROM penstock_router.replays r
   WHERE r.job = j.id AND j.ended IS NULL AND j.kind = 'DeliveringReplay'
     AND CASE j.state
           WHEN 'Running' THEN NOT EXISTS (${UNFINISHED})
           WHEN 'Cancelling' THEN NOT EXISTS (SELECT FROM (${UNFINISHED.replace('SELECT FROM', 'SELECT w.number FROM')}) w
                                               WHERE NOT EXISTS (${IS_STOPPED}))
           ELSE false END
  RETURNING j.id
), rest AS (
  DELETE FROM penstock_router.replay_deliveries d USING ended WHERE d.job = ended.id RETURNING d.job, d.partition
)
INSERT INTO penstock_router.job_counts AS c (job, partition, name, count)
SELECT job, partition, 'left', count(*) FROM rest GROUP BY job, partition
ON CONFLICT (job, partition, name) DO UPDATE SET count = c.count + excluded.count`;

interface RestRow {
  readonly start: string;
  readonly end: string;
  readonly position: string;
  readonly open: readonly OpenReplayed[];
  readonly failures: number;
}

/** The tables of replays that deliver. */
export class PostgresReplayDeliveries extends ReplayDeliveryStore {
  constructor(private readonly database: Database) {
    super();
  }

  override async create(
    replay: NewReplay,
    windows: readonly OffsetRange[],
  ): Promise<JobId | undefined> {
    const { id, kind, workspace, pipeline, request, actor, command } = replay;
    const [starts, ends] = [windows.map(({ start }) => start), windows.map(({ end }) => end)];
    const job = [id, kind, workspace, pipeline, request, actor, command];
    await this.database.rows(CREATE, [...job, starts, ends]);
    const [found] = await this.database.rows<{ id: JobId }>(CREATED, [command, kind]);
    return found?.id;
  }

  override async rest(id: JobId, partition: number): Promise<ReplayRest | undefined> {
    const [row] = await this.database.rows<RestRow>(REST, [id, partition]);
    if (row === undefined) return undefined;
    const { start, end, position, open, failures } = row;
    const window = { start: Number(start), end: Number(end) };
    return { window, position: Number(position), open, failures };
  }

  override async stop(
    id: JobId,
    as: Exclude<EndedJobState, 'Succeeded'>,
    reason: string,
  ): Promise<void> {
    await this.database.rows(STOP, [id, as, reason]);
  }

  override async endDone(): Promise<void> {
    await this.database.rows(END_DONE);
  }
}
