import type { PoolClient } from 'pg';
import type { OffsetRange } from '../partitions/finished-prefix';
import type { PartitionChanges, Settled } from './changes';
import { LeaseLost } from './router-store';
import { hourOf } from './tables';

/** An int8multirange as PostgreSQL writes it. */
export const multirange = (ranges: readonly OffsetRange[]): string =>
  `{${ranges.map(({ start, end }) => `[${String(start)},${String(end)})`).join(',')}}`;

/** Fails the transaction unless every partition is still under the epoch of its changes. */
const moveProgress = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  const { rows } = await db.query<{ partition: number }>(
    `UPDATE penstock_router.partitions p SET next = c.next, beyond = c.beyond
       FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int8multirange[])
              AS c (partition, epoch, next, beyond)
      WHERE p.partition = c.partition AND p.epoch = c.epoch
      RETURNING p.partition`,
    [
      changes.map(({ partition }) => partition),
      changes.map(({ epoch }) => epoch),
      changes.map(({ next }) => next),
      changes.map(({ beyond }) => multirange(beyond)),
    ],
  );
  if (rows.length === changes.length) return;
  const kept = new Set(rows.map(({ partition }) => partition));
  throw new LeaseLost(changes.map(({ partition }) => partition).filter((each) => !kept.has(each)));
};

/** Sorted by key, so that two routers never wait for each other in a circle. */
const addCounts = async (db: PoolClient, changes: readonly PartitionChanges[]): Promise<void> => {
  const rows = changes
    .flatMap(({ partition, counts }) =>
      [...counts].map(([key, count]) => ({ key, fields: key.split('|'), partition, count })),
    )
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.partition - b.partition));
  if (rows.length === 0) return;
  const field = (index: number): string[] => rows.map(({ fields }) => fields[index] ?? '');
  await db.query(
    `INSERT INTO penstock_router.counters (pipeline, state, step, code, minute, partition, count)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::bigint[])
     ON CONFLICT (pipeline, minute, state, step, code, partition)
     DO UPDATE SET count = counters.count + excluded.count`,
    [
      ...[0, 1, 2, 3, 4].map(field),
      rows.map(({ partition }) => partition),
      rows.map(({ count }) => count),
    ],
  );
};

const rememberMessages = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  const messages = changes.flatMap((each) => [...each.messages]);
  if (messages.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.messages (hash, digest, hour)
     SELECT h, d, $3 FROM unnest($1::uuid[], $2::text[]) AS m (h, d)`,
    [messages.map(([hash]) => hash), messages.map(([, digest]) => digest), hourOf(Date.now())],
  );
};

const storeDeliveries = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  const rows = changes.flatMap(({ partition, stored }) =>
    stored.map((delivery) => ({ partition, delivery })),
  );
  if (rows.length === 0) return;
  const partitions = rows.map(({ partition }) => partition);
  const offsets = rows.map(({ delivery }) => delivery.offset);
  await db.query(
    `INSERT INTO penstock_router.bodies (partition, "offset", body)
     SELECT DISTINCT ON (p, o) p, o, b FROM unnest($1::int[], $2::bigint[], $3::text[]) AS r (p, o, b)
     ON CONFLICT DO NOTHING`,
    [partitions, offsets, rows.map(({ delivery }) => delivery.body)],
  );
  await db.query(
    `INSERT INTO penstock_router.deliveries
       (partition, "offset", pipeline, version, lane, order_key, state, attempts, first_attempt, due, step, code, reason)
     SELECT p, o, pipeline, version, lane, order_key, state, attempts, to_timestamp(first_ms / 1000.0),
            to_timestamp(due_ms / 1000.0), step, code, reason
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[],
                   $9::double precision[], $10::double precision[], $11::text[], $12::text[], $13::text[])
         AS r (p, o, pipeline, version, lane, order_key, state, attempts, first_ms, due_ms, step, code, reason)`,
    [
      partitions,
      offsets,
      rows.map(({ delivery }) => delivery.pipeline),
      rows.map(({ delivery }) => delivery.version),
      rows.map(({ delivery }) => delivery.lane),
      rows.map(({ delivery }) => delivery.orderKey),
      rows.map(({ delivery }) => delivery.state),
      rows.map(({ delivery }) => delivery.attempts),
      rows.map(({ delivery }) => delivery.firstAttemptMs),
      rows.map(({ delivery }) => delivery.dueMs),
      rows.map(({ delivery }) => delivery.step),
      rows.map(({ delivery }) => delivery.code),
      rows.map(({ delivery }) => delivery.reason),
    ],
  );
};

const postpone = async (db: PoolClient, changes: readonly PartitionChanges[]): Promise<void> => {
  const rows = changes.flatMap(({ partition, postponed }) =>
    postponed.map((each) => ({ ...each, partition })),
  );
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.deliveries d
        SET attempts = r.attempts, due = to_timestamp(r.due_ms / 1000.0),
            first_attempt = to_timestamp(r.first_ms / 1000.0), reason = r.reason, changed = now()
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[], $5::double precision[], $6::double precision[], $7::text[])
         AS r (partition, "offset", pipeline, attempts, first_ms, due_ms, reason)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline`,
    [
      rows.map(({ partition }) => partition),
      rows.map(({ offset }) => offset),
      rows.map(({ pipeline }) => pipeline),
      rows.map(({ attempts }) => attempts),
      rows.map(({ firstAttemptMs }) => firstAttemptMs),
      rows.map(({ dueMs }) => dueMs),
      rows.map(({ reason }) => reason),
    ],
  );
};

type SettledRow = Settled & { readonly partition: number };

const isKept = ({ ending }: SettledRow): boolean =>
  ending.state === 'Rejected' || ending.state === 'Parked';

/**
 * Removes those of the bodies that no delivery needs any more.
 *
 * @param keys partitions and offsets.
 */
export const removeUnused = async (
  db: PoolClient,
  keys: readonly (readonly unknown[])[],
): Promise<void> => {
  await db.query(
    `DELETE FROM penstock_router.bodies b
      USING unnest($1::int[], $2::bigint[]) AS r (partition, "offset")
      WHERE b.partition = r.partition AND b."offset" = r."offset"
        AND NOT EXISTS (SELECT FROM penstock_router.deliveries d
                         WHERE d.partition = b.partition AND d."offset" = b."offset")`,
    [...keys],
  );
};

const removeDelivered = async (db: PoolClient, rows: readonly SettledRow[]): Promise<void> => {
  if (rows.length === 0) return;
  const keys = [
    rows.map(({ partition }) => partition),
    rows.map(({ offset }) => offset),
    rows.map(({ pipeline }) => pipeline),
  ];
  await db.query(
    `DELETE FROM penstock_router.deliveries d
      USING unnest($1::int[], $2::bigint[], $3::text[]) AS r (partition, "offset", pipeline)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline`,
    keys,
  );
  await removeUnused(db, keys.slice(0, 2));
};

const keepEnded = async (db: PoolClient, rows: readonly SettledRow[]): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(
    `UPDATE penstock_router.deliveries d
        SET state = r.state, step = r.step, code = r.code, reason = r.reason, changed = now()
       FROM unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         AS r (partition, "offset", pipeline, state, step, code, reason)
      WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.pipeline = r.pipeline`,
    [
      rows.map(({ partition }) => partition),
      rows.map(({ offset }) => offset),
      rows.map(({ pipeline }) => pipeline),
      rows.map(({ ending }) => ending.state),
      rows.map(({ ending }) => ending.step),
      rows.map(({ ending }) => ending.code),
      rows.map(({ ending }) => ending.reason),
    ],
  );
};

/**
 * Everything that the partitions have to commit, inside the caller's transaction.
 *
 * @throws LeaseLost when one of them has another owner by now.
 */
export const writeChanges = async (
  db: PoolClient,
  changes: readonly PartitionChanges[],
): Promise<void> => {
  await moveProgress(db, changes);
  await addCounts(db, changes);
  await rememberMessages(db, changes);
  await storeDeliveries(db, changes);
  await postpone(db, changes);
  const settled = changes.flatMap(({ partition, settled: rows }) =>
    rows.map((each) => ({ ...each, partition })),
  );
  await removeDelivered(
    db,
    settled.filter((each) => !isKept(each)),
  );
  await keepEnded(db, settled.filter(isKept));
};
