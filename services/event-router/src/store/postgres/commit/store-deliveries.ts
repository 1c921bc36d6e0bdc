import type { PoolClient } from 'pg';
import type { StoredDelivery } from '../../changes';
import { columns } from '../sql/columns';
import type { OfPartition } from './of-partitions';

/**
 * An existing body is locked without being changed, so that no other transaction removes it before it can see the new
 * delivery.
 */
const BODIES = `
INSERT INTO penstock_router.bodies (partition, "offset", body)
SELECT DISTINCT ON (r.partition, r."offset") r.*
  FROM unnest($1::int[], $2::bigint[], $3::text[]) AS r (partition, "offset", body)
 ORDER BY r.partition, r."offset"
ON CONFLICT (partition, "offset") DO UPDATE SET body = bodies.body WHERE false`;

const DELIVERIES = `
INSERT INTO penstock_router.deliveries
  (partition, "offset", pipeline, version, lane, order_key, state, attempts, due, step, code, reason)
SELECT partition, "offset", pipeline, version, lane, order_key, state, attempts, to_timestamp(due_ms / 1000.0),
       step, code, reason
  FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[],
              $9::double precision[], $10::text[], $11::text[], $12::text[])
    AS r (partition, "offset", pipeline, version, lane, order_key, state, attempts, due_ms, step, code, reason)`;

/** Inserts rows for deliveries that have none yet, and the bodies of their events. */
export const storeDeliveries = async (
  db: PoolClient,
  rows: readonly OfPartition<StoredDelivery>[],
): Promise<void> => {
  if (rows.length === 0) return;
  const [partitions, offsets] = columns(
    rows,
    ({ partition }) => partition,
    ({ offset }) => offset,
  );
  await db.query(BODIES, [partitions, offsets, rows.map(({ body }) => body)]);
  await db.query(DELIVERIES, [
    partitions,
    offsets,
    ...columns(
      rows,
      ({ pipeline }) => pipeline,
      ({ version }) => version,
      ({ lane }) => lane,
      ({ orderKey }) => orderKey,
      ({ state }) => state,
      ({ attempts }) => attempts,
      ({ dueMs }) => dueMs,
      ({ step }) => step,
      ({ code }) => code,
      ({ reason }) => reason,
    ),
  ]);
};
