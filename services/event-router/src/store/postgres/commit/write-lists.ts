import type { PoolClient } from 'pg';
import type { Cursor, Repeat, UnreadableRecord } from '../../changes';
import { columns } from '../sql/columns';
import type { OfPartition } from './of-partitions';

export const writeCursors = async (
  db: PoolClient,
  rows: readonly OfPartition<Cursor>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.cursors (partition, lane, order_key, position, owed)
     SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[])
     ON CONFLICT (partition, lane, order_key)
     DO UPDATE SET position = excluded.position, owed = excluded.owed`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ lane }) => lane,
      ({ orderKey }) => orderKey,
      ({ position }) => position,
      ({ owed }) => JSON.stringify(Object.fromEntries(owed)),
    ),
  );
};

export const dropCursors = async (
  db: PoolClient,
  rows: readonly OfPartition<Pick<Cursor, 'lane' | 'orderKey'>>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `DELETE FROM penstock_router.cursors c
      USING unnest($1::int[], $2::text[], $3::text[]) AS r (partition, lane, order_key)
      WHERE c.partition = r.partition AND c.lane = r.lane AND c.order_key = r.order_key`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ lane }) => lane,
      ({ orderKey }) => orderKey,
    ),
  );
};

export const writeRepeats = async (
  db: PoolClient,
  rows: readonly OfPartition<Repeat>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.repeats (partition, "offset", differs)
     SELECT * FROM unnest($1::int[], $2::bigint[], $3::boolean[]) ON CONFLICT DO NOTHING`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ differs }) => differs,
    ),
  );
};

export const writeUnreadable = async (
  db: PoolClient,
  rows: readonly OfPartition<UnreadableRecord>[],
): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.unreadable (partition, "offset", order_key, value, reason)
     SELECT * FROM unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
    columns(
      rows,
      ({ partition }) => partition,
      ({ offset }) => offset,
      ({ orderKey }) => orderKey,
      ({ value }) => value,
      ({ reason }) => reason,
    ),
  );
};
