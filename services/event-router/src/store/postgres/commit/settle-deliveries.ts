import type { PoolClient } from 'pg';
import type { DeliveryKey, Postponed, Settled } from '../../changes';
import { columns } from '../sql/columns';
import { removeUnused } from '../sql/remove-unused';
import type { OfPartition } from './of-partitions';

/** Joins a delivery `d` with a row `r` of keys. */
const IS_SAME = 'd.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline';

/** Changes no column of an index, so that a delivery that is tried again and again costs no index entries. */
export const postponeDeliveries = async (
  db: PoolClient,
  rows: readonly OfPartition<Postponed>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.deliveries d
        SET attempts = r.attempts, due = to_timestamp(r.due_ms / 1000.0), reason = r.reason
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[], $5::double precision[], $6::text[])
         AS r (partition, "offset", pipeline, attempts, due_ms, reason)
      WHERE ${IS_SAME}`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ pipeline }) => pipeline,
      ({ attempts }) => attempts,
      ({ dueMs }) => dueMs,
      ({ reason }) => reason,
    ),
  );
};

type SettledRow = OfPartition<Settled>;

const isKept = ({ ending: { state } }: SettledRow): boolean =>
  state === 'Rejected' || state === 'Parked';

/** Removes rows, and each body with the last delivery of its event. */
export const removeDeliveries = async (
  db: PoolClient,
  rows: readonly OfPartition<DeliveryKey>[],
): Promise<void> => {
  if (rows.length === 0) return;
  const keys = columns(
    rows,
    ({ partition }) => partition,
    ({ offset }) => offset,
    ({ pipeline }) => pipeline,
  );
  await db.query(
    `DELETE FROM penstock_router.deliveries d
      USING unnest($1::int[], $2::bigint[], $3::text[]) AS r (partition, "offset", pipeline)
      WHERE ${IS_SAME}`,
    keys,
  );
  await removeUnused(db, rows);
};

const keepEnded = async (db: PoolClient, rows: readonly SettledRow[]): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.deliveries d
        SET state = r.state, step = r.step, code = r.code, reason = r.reason, changed = now()
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         AS r (partition, "offset", pipeline, state, step, code, reason)
      WHERE ${IS_SAME}`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ pipeline }) => pipeline,
      ({ ending }) => ending.state,
      ({ ending }) => ending.step,
      ({ ending }) => ending.code,
      ({ ending }) => ending.reason,
    ),
  );
};

/** Settles the rows of ended deliveries: dead letters are kept, other rows are removed. */
export const settleDeliveries = async (
  db: PoolClient,
  rows: readonly SettledRow[],
): Promise<void> => {
  await removeDeliveries(
    db,
    rows.filter((each) => !isKept(each)),
  );
  await keepEnded(db, rows.filter(isKept));
};
