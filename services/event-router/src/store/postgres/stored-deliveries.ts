import type { PipelineId } from '@penstock/contracts';
import type { BodyKey, DeliveryKey, StoredDelivery } from '../changes';
import { cleanText } from '../clean-text';
import type { KeptBody } from '../router-store';
import { columns } from './sql/columns';
import type { Database } from './sql/database';
import { IS_CHOSEN } from './redrives/is-chosen';
import { removeUnused } from './sql/remove-unused';
import type { DestinationId } from '../lane-id';

interface DeliveryRow {
  readonly offset: string;
  readonly pipeline: PipelineId;
  readonly version: number;
  readonly attempts: number;
  readonly due_ms: number;
  readonly reason: string;
  readonly body: string;
}

interface KeptRow {
  readonly partition: number;
  readonly offset: string;
  readonly body: string;
}

/** A row whose body is missing is returned with an empty one, so that it does not block its key for ever. */
const WAITING = `
SELECT "offset", pipeline, version, attempts, due_ms, reason, body FROM (
  SELECT d."offset", d.pipeline, d.version, d.attempts, d.reason, coalesce(b.body, '') AS body,
         (extract(epoch FROM d.due) * 1000)::double precision AS due_ms,
         coalesce(sum(octet_length(b.body)) OVER (
           ORDER BY d."offset", d.pipeline ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
    FROM penstock_router.deliveries d
    LEFT JOIN penstock_router.bodies b ON b.partition = d.partition AND b."offset" = d."offset"
   WHERE d.partition = $1 AND d.lane = $2 AND d.order_key = $3 AND d.state = 'Waiting'
     AND ($4::bigint IS NULL OR (d."offset", d.pipeline) > ($4, $5))
   ORDER BY d."offset", d.pipeline LIMIT $6) rows
 WHERE bytes_before < $7 OR bytes_before = 0
 ORDER BY "offset", pipeline`;

const KEPT = `
SELECT b.partition, b."offset", b.body FROM penstock_router.bodies b
 WHERE (b.partition, b."offset") > ($1, $2)
   AND EXISTS (SELECT FROM penstock_router.deliveries d
                WHERE d.partition = b.partition AND d."offset" = b."offset" AND d.state <> 'Waiting')
 ORDER BY b.partition, b."offset" LIMIT $3`;

/** Locks rows in order, to avoid deadlocks with a process that erases the same ones. */
const ERASE = `
WITH ended AS (
  SELECT d.partition, d."offset", d.pipeline FROM penstock_router.deliveries d
    JOIN unnest($1::int[], $2::bigint[]) AS r (partition, "offset")
      ON d.partition = r.partition AND d."offset" = r."offset"
   WHERE d.state <> 'Waiting' ORDER BY d.partition, d."offset", d.pipeline FOR UPDATE OF d)
DELETE FROM penstock_router.deliveries d USING ended e
 WHERE d.partition = e.partition AND d."offset" = e."offset" AND d.pipeline = e.pipeline`;

/** Most rows that a sweep removes in one transaction. */
const SWEPT_AT_ONCE = 1_000;

const SWEEP = `
DELETE FROM penstock_router.deliveries WHERE ctid = ANY (ARRAY(
  SELECT d.ctid FROM penstock_router.deliveries d
   WHERE d.state <> 'Waiting' AND d.changed < now() - $1 * interval '1 day' AND NOT ${IS_CHOSEN}
   ORDER BY d.changed LIMIT ${SWEPT_AT_ONCE} FOR UPDATE OF d SKIP LOCKED))
RETURNING partition, "offset"`;

/** The stored deliveries and their bodies. */
export class StoredDeliveries {
  constructor(private readonly database: Database) {}

  async waiting(
    partition: number,
    lane: DestinationId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly StoredDelivery[]> {
    const rows = await this.database.rows<DeliveryRow>(WAITING, [
      partition,
      lane,
      cleanText(orderKey),
      after?.offset ?? null,
      after?.pipeline ?? '',
      limits.rows,
      limits.maxBytes,
    ]);
    return rows.map(({ offset, due_ms, ...row }) => ({
      ...row,
      offset: Number(offset),
      lane,
      orderKey: cleanText(orderKey),
      dueMs: due_ms,
      state: 'Waiting',
      step: null,
      code: '',
    }));
  }

  async keptBodies({ partition, offset }: BodyKey, limit: number): Promise<readonly KeptBody[]> {
    const rows = await this.database.rows<KeptRow>(KEPT, [partition, offset, limit]);
    return rows.map((row) => ({ ...row, offset: Number(row.offset) }));
  }

  erase(keys: readonly BodyKey[]): Promise<void> {
    const values = columns(
      keys,
      ({ partition }) => partition,
      ({ offset }) => offset,
    );
    return this.database.transaction(async (db) => {
      await db.query(ERASE, values);
      await removeUnused(db, keys);
    });
  }

  /** Removes dead letters that ended more than `days` days ago, but those that an open redrive has chosen. */
  async sweep(days: number): Promise<void> {
    const removeSome = (): Promise<number> =>
      this.database.transaction(async (db) => {
        const { rows } = await db.query<Omit<KeptRow, 'body'>>(SWEEP, [days]);
        await removeUnused(db, rows);
        return rows.length;
      });
    while ((await removeSome()) === SWEPT_AT_ONCE);
  }
}
