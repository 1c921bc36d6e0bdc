import type { PoolClient } from 'pg';
import type { PartitionChanges, ReplayFailure, ReplayStep } from '../../changes';
import { columns } from '../sql/columns';
import { countForJobs } from './count-for-jobs';
import { type OfPartition, ofPartitions } from './of-partitions';

type StepRow = OfPartition<ReplayStep>;

/** Of a list of all steps, each with the names of its step. */
const each = <Row>(
  steps: readonly StepRow[],
  list: (step: StepRow) => readonly Row[],
): { readonly of: StepRow; readonly row: Row }[] =>
  steps.flatMap((of) => list(of).map((row) => ({ of, row })));

const IS_THERE = 'EXISTS (SELECT FROM penstock_router.replays j WHERE j.job = r.job)';

const writePositions = async (db: PoolClient, steps: readonly StepRow[]): Promise<void> => {
  await db.query(
    `INSERT INTO penstock_router.replay_parts (job, partition, position)
     SELECT r.* FROM unnest($1::text[], $2::int[], $3::bigint[]) AS r (job, partition, position) WHERE ${IS_THERE}
     ON CONFLICT (job, partition) DO UPDATE SET position = excluded.position`,
    columns(
      steps,
      ({ job }) => job,
      ({ partition }) => partition,
      ({ position }) => position,
    ),
  );
};

const writeEnded = async (db: PoolClient, steps: readonly StepRow[]): Promise<void> => {
  const rows = each(steps, ({ ended }) => ended);
  if (rows.length === 0) return;
  await db.query(
    `DELETE FROM penstock_router.replay_deliveries d
      USING unnest($1::text[], $2::int[], $3::bigint[]) AS r (job, partition, "offset")
      WHERE d.job = r.job AND d.partition = r.partition AND d."offset" = r."offset"`,
    columns(
      rows,
      ({ of }) => of.job,
      ({ of }) => of.partition,
      ({ row }) => row,
    ),
  );
};

const writeTried = async (db: PoolClient, steps: readonly StepRow[]): Promise<void> => {
  const rows = each(steps, ({ tried }) => tried);
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.replay_deliveries d
        SET attempts = r.attempts, due = to_timestamp(r.due_ms / 1000.0)
       FROM unnest($1::text[], $2::int[], $3::bigint[], $4::int[], $5::float8[])
         AS r (job, partition, "offset", attempts, due_ms)
      WHERE d.job = r.job AND d.partition = r.partition AND d."offset" = r."offset"`,
    columns(
      rows,
      ({ of }) => of.job,
      ({ of }) => of.partition,
      ({ row }) => row.offset,
      ({ row }) => row.attempts,
      ({ row }) => row.dueMs,
    ),
  );
};

const writeOpened = async (db: PoolClient, steps: readonly StepRow[]): Promise<void> => {
  const rows = each(steps, ({ opened }) => opened);
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.replay_deliveries (job, partition, "offset", order_key, attempts, due)
     SELECT r.job, r.partition, r."offset", r.order_key, r.attempts, to_timestamp(r.due_ms / 1000.0)
       FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::int[], $6::float8[])
         AS r (job, partition, "offset", order_key, attempts, due_ms)
      WHERE ${IS_THERE}`,
    columns(
      rows,
      ({ of }) => of.job,
      ({ of }) => of.partition,
      ({ row }) => row.offset,
      ({ row }) => row.orderKey,
      ({ row }) => row.attempts,
      ({ row }) => row.dueMs,
    ),
  );
};

const failureColumns = (
  rows: readonly { readonly of: StepRow; readonly row: ReplayFailure }[],
): unknown[][] =>
  columns(
    rows,
    ({ of }) => of.job,
    ({ of }) => of.partition,
    ({ row }) => row.offset,
    ({ row }) => row.ending.state,
    ({ row }) => row.ending.step,
    ({ row }) => row.ending.code,
    ({ row }) => row.ending.reason,
    ({ row }) => row.attempts,
    ({ row }) => row.atMs,
    ({ row }) => row.messageId,
    ({ row }) => row.source,
    ({ row }) => row.receivedMs,
    ({ row }) => row.userId,
    ({ row }) => row.previousId,
  );

const writeFailures = async (db: PoolClient, steps: readonly StepRow[]): Promise<void> => {
  const rows = each(steps, ({ failures }) => failures);
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.replay_failures
       (job, partition, "offset", state, step, code, reason, attempts, at, message_id, source, received, user_id, previous_id)
     SELECT r.job, r.partition, r."offset", r.state, r.step, r.code, r.reason, r.attempts, to_timestamp(r.at_ms / 1000.0),
            r.message_id, r.source, to_timestamp(r.received_ms / 1000.0), r.user_id, r.previous_id
       FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[],
                   $9::float8[], $10::text[], $11::text[], $12::float8[], $13::text[], $14::text[])
         AS r (job, partition, "offset", state, step, code, reason, attempts, at_ms, message_id, source, received_ms,
               user_id, previous_id)
      WHERE ${IS_THERE}`,
    failureColumns(rows),
  );
};

/** Writes what replays have read, opened, tried and ended. */
export const writeReplays = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  const steps = ofPartitions(changes, ({ replayed }) => replayed);
  if (steps.length === 0) return;
  await writePositions(db, steps);
  await writeEnded(db, steps);
  await writeTried(db, steps);
  await writeOpened(db, steps);
  await writeFailures(db, steps);
  const counted = each(steps, ({ counts }) => [...counts]);
  await countForJobs(
    db,
    counted.map(({ of: { job, partition }, row: [name, count] }) => ({
      job,
      partition,
      name,
      count,
    })),
  );
};
