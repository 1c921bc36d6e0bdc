import type { PoolClient } from 'pg';
import type {
  EarlierEnding,
  Ending,
  PartitionChanges,
  Redriven,
  RedriveTried,
} from '../../changes';
import { columns } from '../sql/columns';
import { countForJobs, type JobCounted } from './count-for-jobs';
import { type OfPartition, ofPartitions } from './of-partitions';
import { removeDeliveries } from './settle-deliveries';

type RedrivenRow = OfPartition<Redriven>;
type Ended = RedrivenRow & {
  readonly endings: { readonly before: EarlierEnding; readonly now: Ending };
};

const isEnded = (row: RedrivenRow): row is Ended => row.endings !== null;

const isKept = ({ endings: { now } }: Ended): boolean =>
  now.state === 'Rejected' || now.state === 'Parked';

const takeFromRedrives = async (db: PoolClient, rows: readonly RedrivenRow[]): Promise<void> => {
  await db.query(
    `DELETE FROM penstock_router.redrive_deliveries d
      USING unnest($1::text[], $2::int[], $3::bigint[], $4::text[]) AS r (job, partition, "offset", pipeline)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline AND d.job = r.job`,
    columns(
      rows,
      ({ job }) => job,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ pipeline }) => pipeline,
    ),
  );
};

/** A dead letter that was erased meanwhile stays erased. */
const keepEnded = async (db: PoolClient, rows: readonly Ended[]): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.deliveries d
        SET version = r.version, attempts = d.attempts + r.attempts, state = r.state, step = r.step, code = r.code,
            reason = r.reason, changed = now()
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[],
                   $9::text[]) AS r (partition, "offset", pipeline, version, attempts, state, step, code, reason)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ pipeline }) => pipeline,
      ({ version }) => version,
      ({ attempts }) => attempts,
      ({ endings }) => endings.now.state,
      ({ endings }) => endings.now.step,
      ({ endings }) => endings.now.code,
      ({ endings }) => endings.now.reason,
    ),
  );
};

/** What was erased counts as filtered. */
const countedOf = ({ job, partition, endings }: RedrivenRow): JobCounted => ({
  job,
  partition,
  name: endings?.now.state ?? 'Filtered',
  count: 1,
});

const writeRedriven = async (db: PoolClient, rows: readonly RedrivenRow[]): Promise<void> => {
  if (rows.length === 0) return;
  const ended = rows.filter(isEnded);
  await takeFromRedrives(db, rows);
  await removeDeliveries(
    db,
    ended.filter((row) => !isKept(row)),
  );
  await keepEnded(db, ended.filter(isKept));
  await countForJobs(db, rows.map(countedOf));
};

const writeTried = async (
  db: PoolClient,
  rows: readonly OfPartition<RedriveTried>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.redrive_deliveries d
        SET attempts = r.attempts, due = to_timestamp(r.due_ms / 1000.0), reason = r.reason
       FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::int[], $6::double precision[], $7::text[])
         AS r (job, partition, "offset", pipeline, attempts, due_ms, reason)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline AND d.job = r.job`,
    columns(
      rows,
      ({ job }) => job,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ pipeline }) => pipeline,
      ({ attempts }) => attempts,
      ({ dueMs }) => dueMs,
      ({ reason }) => reason,
    ),
  );
};

const writeStopped = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  const rows = changes.flatMap(({ partition, epoch, redrivesStopped }) =>
    redrivesStopped.map((job) => ({ partition, epoch, job })),
  );
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.redrive_stops (job, partition, epoch)
     SELECT r.* FROM unnest($1::text[], $2::int[], $3::bigint[]) AS r (job, partition, epoch)
      WHERE EXISTS (SELECT FROM penstock_router.jobs j WHERE j.id = r.job)
     ON CONFLICT (job, partition) DO UPDATE SET epoch = excluded.epoch`,
    columns(
      rows,
      ({ job }) => job,
      ({ partition }) => partition,
      ({ epoch }) => epoch,
    ),
  );
};

/** Writes what redrives have ended and tried, and where cancelled ones have stopped. */
export const writeRedrives = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  await writeRedriven(
    db,
    ofPartitions(changes, ({ redriven }) => redriven),
  );
  await writeTried(
    db,
    ofPartitions(changes, ({ redriveTried }) => redriveTried),
  );
  await writeStopped(db, changes);
};
