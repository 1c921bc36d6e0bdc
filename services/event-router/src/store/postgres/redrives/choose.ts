import type { JobId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { JobPlace } from '../../jobs/job';
import { type RedriveRequest, redriveRequest } from '../../redrive-request';
import type { Choosing } from '../../redrive-store';
import type { Database } from '../sql/database';
import { IS_CHOSEN } from './is-chosen';

/** Dead letters that are chosen in one transaction: it takes some ten milliseconds. */
const CHOSEN_AT_ONCE = 2_000;

/** The dead letters of a pipeline that a request is about, but those whose pipeline or event is gone; a range of an index. $1 to $8 are {@link valuesOf}. */
const WANTED = `
d.workspace = $1 AND d.pipeline = $2 AND d.state BETWEEN coalesce($3, 'Parked') AND coalesce($3, 'Rejected')
 AND ($4::text IS NULL OR d.code = $4) AND d.code NOT IN ('Deleted', 'Unstorable', 'Unreadable')
 AND ($5::timestamptz IS NULL OR d.received >= $5) AND ($6::timestamptz IS NULL OR d.received < $6)
 AND ($7::int[] IS NULL OR (d.partition, d."offset") IN (SELECT * FROM unnest($7::int[], $8::bigint[])))`;

const valuesOf = (
  { workspace, pipeline }: Pick<JobPlace, 'workspace' | 'pipeline'>,
  { state, code, from, to, deliveries }: RedriveRequest,
): unknown[] => [
  workspace,
  pipeline,
  state ?? null,
  code ?? null,
  from ?? null,
  to ?? null,
  deliveries?.map(({ partition }) => partition) ?? null,
  deliveries?.map(({ offset }) => offset) ?? null,
];

const COUNT = `
SELECT count(*)::float8 AS count FROM penstock_router.deliveries d WHERE ${WANTED} AND NOT ${IS_CHOSEN}`;

/** One statement: what is chosen meanwhile is counted once. */
const COUNT_OF = `
SELECT (SELECT coalesce(sum(count), 0) FROM penstock_router.job_counts WHERE job = $9 AND name = 'Chosen')::float8
     + (SELECT count(*) FROM penstock_router.jobs own CROSS JOIN penstock_router.deliveries d
         WHERE own.id = $9 AND own.state = 'Preparing' AND d.changed <= own.created AND ${WANTED}
           AND NOT ${IS_CHOSEN})::float8 AS count`;

/** The order key within which the destination orders now: of each event, or of its user. An index takes no long ones. */
const ORDER_KEY = `
CASE WHEN octet_length(key_of_user) > 1000 THEN md5(key_of_user) ELSE key_of_user END
|| CASE WHEN $10 = 'none' THEN '@' || page."offset" ELSE '' END`;

const CHOOSE = `
WITH page AS (
  SELECT d.partition, d."offset", d.pipeline, d.order_key, d.state, d.code, d.received
    FROM penstock_router.deliveries d
   WHERE ${WANTED} AND d.changed <= (SELECT created FROM penstock_router.jobs WHERE id = $9)
     AND ($11::text IS NULL OR (d.state, d.code, d.received, d.partition, d."offset")
                               > ($11, $12::text, $13::timestamptz, $14::int, $15::bigint))
   ORDER BY d.state, d.code, d.received, d.partition, d."offset" LIMIT ${CHOSEN_AT_ONCE}
), chosen AS (
  INSERT INTO penstock_router.redrive_deliveries AS r (partition, "offset", pipeline, job, order_key)
  SELECT page.partition, page."offset", page.pipeline, $9, ${ORDER_KEY}
    FROM page CROSS JOIN LATERAL (
      SELECT CASE WHEN right(order_key, length('@' || page."offset")) = '@' || page."offset"
                  THEN left(order_key, -length('@' || page."offset")) ELSE order_key END AS key_of_user) user_key
   ORDER BY page.partition, page."offset"
  ON CONFLICT (partition, "offset", pipeline) DO UPDATE
     SET job = excluded.job, order_key = excluded.order_key, attempts = 0, due = 'epoch', reason = ''
   WHERE r.job <> excluded.job
     AND NOT EXISTS (SELECT FROM penstock_router.jobs j WHERE j.id = r.job AND j.ended IS NULL)
  RETURNING r.partition
), counted AS (
  INSERT INTO penstock_router.job_counts AS c (job, partition, name, count)
  SELECT $9, partition, 'Chosen', count(*) FROM chosen GROUP BY partition ORDER BY partition
  ON CONFLICT (job, partition, name) DO UPDATE SET count = c.count + excluded.count
)
SELECT state, code, received::text, partition, "offset"::text FROM page
 ORDER BY page.state DESC, page.code DESC, page.received DESC, page.partition DESC, page."offset" DESC LIMIT 1`;

type Place = readonly [
  state: string,
  code: string,
  received: string,
  partition: number,
  offset: string,
];

interface PlaceRow {
  readonly state: string;
  readonly code: string;
  readonly received: string;
  readonly partition: number;
  readonly offset: string;
}

/** The number of dead letters that a redrive would choose. */
export const countWanted = async (
  database: Database,
  place: JobPlace,
  request: RedriveRequest,
): Promise<number> => {
  const [row] = await database.rows<{ count: number }>(COUNT, valuesOf(place, request));
  return row?.count ?? 0;
};

/** The number of dead letters that a redrive has chosen and has still to choose. */
export const countOf = async (
  database: Database,
  id: JobId,
  place: JobPlace,
  request: RedriveRequest,
): Promise<number> => {
  const values = [...valuesOf(place, request), id];
  const [row] = await database.rows<{ count: number }>(COUNT_OF, values);
  return row?.count ?? 0;
};

type Preparing = Pick<JobPlace, 'workspace' | 'pipeline'> & {
  readonly request: string;
  readonly place: string;
};

/** Locks the job while a batch is chosen: neither is it cancelled meanwhile, nor does another process choose for it. */
const lockJob = async (db: PoolClient, id: JobId): Promise<Preparing | undefined> => {
  const { rows } = await db.query<Preparing>(
    `SELECT workspace, pipeline, request, place FROM penstock_router.jobs
      WHERE id = $1 AND kind = 'Redrive' AND state = 'Preparing' FOR UPDATE SKIP LOCKED`,
    [id],
  );
  return rows[0];
};

const isPreparing = async (db: PoolClient, id: JobId): Promise<boolean> => {
  const { rows } = await db.query(
    `SELECT FROM penstock_router.jobs WHERE id = $1 AND state = 'Preparing'`,
    [id],
  );
  return rows.length > 0;
};

const chooseNext = async (db: PoolClient, id: JobId, job: Preparing): Promise<Place | null> => {
  const request = redriveRequest(job.request);
  const after = job.place === '' ? [null, '', null, 0, 0] : (JSON.parse(job.place) as Place);
  const values = [...valuesOf(job, request), id, request.ordering, ...after];
  const { rows } = await db.query<PlaceRow>(CHOOSE, values);
  const [last] = rows;
  return last === undefined
    ? null
    : [last.state, last.code, last.received, last.partition, last.offset];
};

/** Chooses a batch of dead letters for a job that is `Preparing`; see the port. */
export const choose = (database: Database, id: JobId): Promise<Choosing> =>
  database.transaction(async (db) => {
    const job = await lockJob(db, id);
    if (job === undefined) return (await isPreparing(db, id)) ? 'busy' : 'over';
    const last = await chooseNext(db, id, job);
    await db.query(
      last === null
        ? `UPDATE penstock_router.jobs SET state = 'Running' WHERE id = $1`
        : 'UPDATE penstock_router.jobs SET place = $2 WHERE id = $1',
      last === null ? [id] : [id, JSON.stringify(last)],
    );
    return last === null ? 'over' : 'more';
  });
