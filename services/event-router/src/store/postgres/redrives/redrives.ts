import type { JobId, PipelineId } from '@penstock/contracts';
import type { DeliveryKey, StoredDelivery } from '../../changes';
import { cleanText } from '../../clean-text';
import type { JobPlace } from '../../jobs/job';
import type { RedriveRequest } from '../../redrive-request';
import {
  type ChosenKey,
  type ChosenRow,
  type Choosing,
  type DeadLetter,
  MOST_COUNTED,
  RedriveStore,
} from '../../redrive-store';
import type { Database } from '../sql/database';
import { choose, countOf, countWanted } from './choose';

const IS_RUNNING = `EXISTS (SELECT FROM penstock_router.jobs WHERE id = $1 AND state = 'Running')`;

/** Skips through the index from one key to the next. */
const KEYS = `
WITH RECURSIVE keys AS (
  (SELECT r.order_key FROM penstock_router.redrive_deliveries r
    WHERE r.job = $1 AND r.partition = $2 AND ($3::text IS NULL OR r.order_key > $3) ORDER BY r.order_key LIMIT 1)
  UNION ALL
  SELECT next.order_key FROM keys CROSS JOIN LATERAL (
    SELECT r.order_key FROM penstock_router.redrive_deliveries r
     WHERE r.job = $1 AND r.partition = $2 AND r.order_key > keys.order_key ORDER BY r.order_key LIMIT 1) next
)
SELECT k.order_key, own.rows, own.due_ms
  FROM (SELECT order_key FROM keys LIMIT $4) k CROSS JOIN LATERAL (
    SELECT count(*)::int AS rows, (array_agg(extract(epoch FROM due) * 1000))[1]::float8 AS due_ms
      FROM (SELECT r.due FROM penstock_router.redrive_deliveries r
             WHERE r.job = $1 AND r.partition = $2 AND r.order_key = k.order_key
             ORDER BY r."offset", r.pipeline LIMIT ${MOST_COUNTED + 1}) first) own
 WHERE ${IS_RUNNING} ORDER BY k.order_key`;

const ROWS = `
SELECT * FROM (
  SELECT r."offset", r.pipeline, r.attempts, r.reason, extract(epoch FROM r.due)::float8 * 1000 AS due_ms,
         d.version, d.state, d.step, d.code, coalesce(b.body, '') AS body,
         coalesce(sum(octet_length(b.body)) OVER (
           ORDER BY r."offset", r.pipeline ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
    FROM (SELECT * FROM penstock_router.redrive_deliveries
           WHERE job = $1 AND partition = $2 AND order_key = $3
             AND ($4::bigint IS NULL OR ("offset", pipeline) > ($4, $5))
           ORDER BY "offset", pipeline LIMIT $6) r
    LEFT JOIN penstock_router.deliveries d
      ON d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline AND d.state <> 'Waiting'
    LEFT JOIN penstock_router.bodies b ON b.partition = r.partition AND b."offset" = r."offset") rows
 WHERE (bytes_before < $7 OR bytes_before = 0) AND ${IS_RUNNING}
 ORDER BY "offset", pipeline`;

/** A cancelled redrive has ended when every owner of a partition with chosen rows has stopped, under its epoch. */
const END_DONE = `
UPDATE penstock_router.jobs j
   SET state = CASE j.state WHEN 'Running' THEN 'Succeeded' ELSE 'Cancelled' END, ended = now()
 WHERE j.ended IS NULL AND j.kind = 'Redrive'
   AND CASE j.state
         WHEN 'Running' THEN NOT EXISTS (SELECT FROM penstock_router.redrive_deliveries r WHERE r.job = j.id)
         WHEN 'Cancelling' THEN NOT EXISTS (
           SELECT FROM penstock_router.partitions p
            WHERE EXISTS (SELECT FROM penstock_router.redrive_deliveries r
                           WHERE r.job = j.id AND r.partition = p.partition)
              AND NOT EXISTS (SELECT FROM penstock_router.redrive_stops s
                               WHERE s.job = j.id AND s.partition = p.partition AND s.epoch = p.epoch))
         ELSE false END`;

/** Most rows that a sweep removes in one transaction. */
const SWEPT_AT_ONCE = 1_000;

const SWEEP_ROWS = `
DELETE FROM penstock_router.redrive_deliveries WHERE ctid = ANY (ARRAY(
  SELECT r.ctid FROM penstock_router.redrive_deliveries r
   WHERE NOT EXISTS (SELECT FROM penstock_router.jobs j WHERE j.id = r.job AND j.ended IS NULL)
   LIMIT ${SWEPT_AT_ONCE} FOR UPDATE OF r SKIP LOCKED))
RETURNING 1`;

interface KeyRow {
  readonly order_key: string;
  readonly rows: number;
  readonly due_ms: number;
}

interface RowRow {
  readonly offset: string;
  readonly pipeline: PipelineId;
  readonly attempts: number;
  readonly reason: string;
  readonly due_ms: number;
  readonly version: number | null;
  readonly state: DeadLetter['state'] | null;
  readonly step: StoredDelivery['step'];
  readonly code: string;
  readonly body: string;
}

const chosenRow = (row: RowRow): ChosenRow => {
  const { offset, pipeline, attempts, reason, due_ms, version, state, step, code, body } = row;
  const deadLetter =
    state === null || version === null ? null : { version, state, step, code, body };
  return { offset: Number(offset), pipeline, attempts, reason, dueMs: due_ms, deadLetter };
};

/** The table of dead letters that redrives have chosen. */
export class PostgresRedrives extends RedriveStore {
  constructor(private readonly database: Database) {
    super();
  }

  override count(place: JobPlace, request: RedriveRequest): Promise<number> {
    return countWanted(this.database, place, request);
  }

  override countOf(id: JobId, place: JobPlace, request: RedriveRequest): Promise<number> {
    return countOf(this.database, id, place, request);
  }

  override choose(id: JobId): Promise<Choosing> {
    return choose(this.database, id);
  }

  override async keys(
    id: JobId,
    partition: number,
    after: string | null,
    limit: number,
  ): Promise<readonly ChosenKey[]> {
    const rows = await this.database.rows<KeyRow>(KEYS, [id, partition, after, limit]);
    return rows.map(({ order_key, rows: count, due_ms }) => ({
      orderKey: order_key,
      rows: count > MOST_COUNTED ? Infinity : count,
      dueMs: due_ms,
    }));
  }

  override async rows(
    id: JobId,
    partition: number,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly ChosenRow[]> {
    const place = [after?.offset ?? null, after?.pipeline ?? ''];
    const values = [id, partition, cleanText(orderKey), ...place, limits.rows, limits.maxBytes];
    return (await this.database.rows<RowRow>(ROWS, values)).map(chosenRow);
  }

  override async endDone(): Promise<void> {
    await this.database.rows(END_DONE);
  }

  /** Removes what redrives that have ended did not come to, and jobs that ended more than `days` days ago. Executors must have been told of replays. */
  async sweep(days: number): Promise<void> {
    while ((await this.database.rows(SWEEP_ROWS)).length === SWEPT_AT_ONCE);
    await this.database.rows(
      `DELETE FROM penstock_router.jobs j WHERE ended < now() - $1 * interval '1 day'
          AND NOT EXISTS (SELECT FROM penstock_router.replays r WHERE r.job = j.id AND NOT r.is_told)`,
      [days],
    );
  }
}
