import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { Pool, PoolClient } from 'pg';
import type { RouterOptions } from '../router.options';
import type { OffsetRange } from '../partitions/finished-prefix';
import type { DeliveryKey, PartitionChanges, StoredDelivery } from './changes';
import { removeUnused, writeChanges } from './commit';
import { isDead, type Owner, thisOwner } from './owner';
import {
  type BodyKey,
  type KeptBody,
  type LeaseGrant,
  type PartitionProgress,
  RouterStore,
  type WaitingKey,
} from './router-store';
import { createMessagesTable, hourOf, hourOfTable, messagesTable, TABLES } from './tables';

/** Any number that nothing else in the database locks. */
const PREPARE_LOCK = 7_300_101;
const HOUR_MS = 3_600_000;
/** SQLSTATE of a row that no table of a partitioned one takes. */
const NO_PARTITION = '23514';

interface PartitionRow {
  partition: number;
  epoch: string;
  owner: Owner | null;
  free: boolean;
  next: string;
  beyond: string;
}

interface DeliveryRow {
  offset: string;
  pipeline: PipelineId;
  version: number;
  lane: ConnectionId;
  order_key: string;
  attempts: number;
  first_ms: number;
  due_ms: number;
  reason: string;
  body: string;
}

const ranges = (text: string): OffsetRange[] =>
  [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, start, end]) => ({
    start: Number(start),
    end: Number(end),
  }));

type StoreOptions = Pick<
  RouterOptions,
  'leaseMs' | 'requestTimeoutMs' | 'duplicateWindowHours' | 'deadLetterDays'
>;

export class PostgresRouterStore extends RouterStore {
  private readonly me = thisOwner();

  constructor(
    private readonly pool: Pool,
    private readonly options: StoreOptions,
  ) {
    super();
  }

  override async prepare(): Promise<void> {
    await this.transaction(async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [PREPARE_LOCK]);
      await db.query(TABLES);
      await this.makeHours(db);
    });
  }

  override async acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    return this.transaction(async (db) => {
      await db.query(
        `INSERT INTO penstock_router.partitions (partition)
         SELECT * FROM unnest($1::int[]) ORDER BY 1 ON CONFLICT DO NOTHING`,
        [partitions],
      );
      const { rows } = await db.query<PartitionRow>(
        `SELECT partition, owner, settled_by < now() AS free FROM penstock_router.partitions
          WHERE partition = ANY($1) ORDER BY partition FOR UPDATE`,
        [partitions],
      );
      const takeable = rows
        .filter(({ owner, free }) => owner === null || free || isDead(owner, this.me))
        .map(({ partition }) => partition);
      const granted = await db.query<PartitionRow>(
        `UPDATE penstock_router.partitions
            SET epoch = epoch + 1, owner = $2, until = now() + $3 * interval '1 millisecond',
                settled_by = now() + $4 * interval '1 millisecond'
          WHERE partition = ANY($1) RETURNING partition, epoch`,
        [takeable, JSON.stringify(this.me), ...this.leaseTimes()],
      );
      return granted.rows.map(({ partition, epoch }) => ({ partition, epoch: Number(epoch) }));
    });
  }

  override async renew(grants: readonly LeaseGrant[]): Promise<readonly number[]> {
    const { rows } = await this.pool.query<{ partition: number }>(
      `UPDATE penstock_router.partitions p
          SET until = now() + $3 * interval '1 millisecond', settled_by = now() + $4 * interval '1 millisecond'
         FROM unnest($1::int[], $2::bigint[]) AS g (partition, epoch)
        WHERE p.partition = g.partition AND p.epoch = g.epoch
        RETURNING p.partition`,
      [
        grants.map(({ partition }) => partition),
        grants.map(({ epoch }) => epoch),
        ...this.leaseTimes(),
      ],
    );
    return rows.map(({ partition }) => partition);
  }

  override async release(grants: readonly LeaseGrant[]): Promise<void> {
    await this.pool.query(
      `UPDATE penstock_router.partitions p SET owner = NULL
         FROM unnest($1::int[], $2::bigint[]) AS g (partition, epoch)
        WHERE p.partition = g.partition AND p.epoch = g.epoch`,
      [grants.map(({ partition }) => partition), grants.map(({ epoch }) => epoch)],
    );
  }

  override async progress(
    partitions: readonly number[],
  ): Promise<ReadonlyMap<number, PartitionProgress>> {
    const { rows } = await this.pool.query<PartitionRow>(
      `SELECT partition, next, beyond FROM penstock_router.partitions WHERE partition = ANY($1)`,
      [partitions],
    );
    const known = new Map(
      rows.map(({ partition, next, beyond }) => [
        partition,
        { next: Number(next), beyond: ranges(beyond) },
      ]),
    );
    return new Map(partitions.map((each) => [each, known.get(each) ?? { next: 0, beyond: [] }]));
  }

  override async waitingKeys(partition: number): Promise<readonly WaitingKey[]> {
    const { rows } = await this.pool.query<{
      lane: ConnectionId;
      order_key: string;
      rows: number;
      attempts: number;
      due_ms: number;
    }>(
      `SELECT lane, order_key, count(*)::int AS rows,
              (array_agg(attempts ORDER BY "offset", pipeline))[1] AS attempts,
              (array_agg(extract(epoch FROM due) * 1000 ORDER BY "offset", pipeline))[1]::double precision AS due_ms
         FROM penstock_router.deliveries WHERE partition = $1 AND state = 'Waiting'
        GROUP BY lane, order_key`,
      [partition],
    );
    return rows.map(({ lane, order_key, rows: count, attempts, due_ms }) => ({
      lane,
      orderKey: order_key,
      rows: count,
      attempts,
      dueMs: due_ms,
    }));
  }

  override async waiting(
    partition: number,
    lane: ConnectionId,
    orderKey: string,
    after: DeliveryKey | null,
    limit: number,
  ): Promise<readonly StoredDelivery[]> {
    const { rows } = await this.pool.query<DeliveryRow>(
      `SELECT d."offset", d.pipeline, d.version, d.lane, d.order_key, d.attempts, d.reason, b.body,
              extract(epoch FROM d.first_attempt)::double precision * 1000 AS first_ms,
              extract(epoch FROM d.due)::double precision * 1000 AS due_ms
         FROM penstock_router.deliveries d
         JOIN penstock_router.bodies b ON b.partition = d.partition AND b."offset" = d."offset"
        WHERE d.partition = $1 AND d.lane = $2 AND d.order_key = $3 AND d.state = 'Waiting'
          AND (d."offset", d.pipeline) > ($4, $5)
        ORDER BY d."offset", d.pipeline LIMIT $6`,
      [partition, lane, orderKey, after?.offset ?? -1, after?.pipeline ?? '', limit],
    );
    return rows.map((row) => ({
      offset: Number(row.offset),
      pipeline: row.pipeline,
      version: row.version,
      lane: row.lane,
      orderKey: row.order_key,
      attempts: row.attempts,
      firstAttemptMs: row.first_ms,
      dueMs: row.due_ms,
      state: 'Waiting',
      step: null,
      code: '',
      reason: row.reason,
      body: row.body,
    }));
  }

  override async seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (hashes.length === 0) return new Map();
    const { rows } = await this.pool.query<{ hash: string; digest: string }>(
      'SELECT hash, digest FROM penstock_router.messages WHERE hash = ANY($1::uuid[])',
      [hashes],
    );
    return new Map(rows.map(({ hash, digest }) => [hash, digest]));
  }

  override async commit(changes: readonly PartitionChanges[]): Promise<void> {
    try {
      await this.transaction((db) => writeChanges(db, changes));
    } catch (error) {
      // The hour has no table: this process slept for longer than tables are made ahead.
      if ((error as { code?: unknown }).code !== NO_PARTITION) throw error;
      await this.transaction((db) => this.makeHours(db));
      await this.transaction((db) => writeChanges(db, changes));
    }
  }

  override async keptBodies(
    { partition, offset }: BodyKey,
    limit: number,
  ): Promise<readonly KeptBody[]> {
    const { rows } = await this.pool.query<{ partition: number; offset: string; body: string }>(
      `SELECT b.partition, b."offset", b.body FROM penstock_router.bodies b
        WHERE (b.partition, b."offset") > ($1, $2)
          AND EXISTS (SELECT FROM penstock_router.deliveries d
                       WHERE d.partition = b.partition AND d."offset" = b."offset" AND d.state <> 'Waiting')
        ORDER BY b.partition, b."offset" LIMIT $3`,
      [partition, offset, limit],
    );
    return rows.map((row) => ({ ...row, offset: Number(row.offset) }));
  }

  override async erase(keys: readonly BodyKey[]): Promise<void> {
    const values = [keys.map(({ partition }) => partition), keys.map(({ offset }) => offset)];
    await this.transaction(async (db) => {
      await db.query(
        `DELETE FROM penstock_router.deliveries d USING unnest($1::int[], $2::bigint[]) AS r (partition, "offset")
          WHERE d.partition = r.partition AND d."offset" = r."offset" AND d.state <> 'Waiting'`,
        values,
      );
      await removeUnused(db, values);
    });
  }

  override async sweep(): Promise<void> {
    await this.transaction((db) => this.makeHours(db));
    await this.dropOldHours();
    await this.pool.query(
      `WITH gone AS (
         DELETE FROM penstock_router.deliveries
          WHERE state <> 'Waiting' AND changed < now() - $1 * interval '1 day'
          RETURNING partition, "offset")
       DELETE FROM penstock_router.bodies b USING gone
        WHERE b.partition = gone.partition AND b."offset" = gone."offset"
          AND NOT EXISTS (SELECT FROM penstock_router.deliveries d
                           WHERE d.partition = b.partition AND d."offset" = b."offset"
                             AND (d.state = 'Waiting' OR d.changed >= now() - $1 * interval '1 day'))`,
      [this.options.deadLetterDays],
    );
  }

  override async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  private leaseTimes(): [number, number] {
    const { leaseMs, requestTimeoutMs } = this.options;
    return [leaseMs, leaseMs + requestTimeoutMs];
  }

  /** The tables of this hour and of the next two, so that a sweep an hour is enough. */
  private async makeHours(db: PoolClient): Promise<void> {
    const hour = hourOf(Date.now());
    for (const each of [hour, hour + 1, hour + 2]) await db.query(createMessagesTable(each));
  }

  private async dropOldHours(): Promise<void> {
    const oldest = hourOf(Date.now() - this.options.duplicateWindowHours * HOUR_MS);
    const { rows } = await this.pool.query<{ table: string }>(
      `SELECT c.relname AS table FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'penstock_router.messages'::regclass`,
    );
    for (const { table } of rows) {
      const hour = hourOfTable(table);
      if (hour !== undefined && hour < oldest)
        await this.pool.query(`DROP TABLE IF EXISTS penstock_router.${messagesTable(hour)}`);
    }
  }

  private async transaction<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    const db = await this.pool.connect();
    let failure: Error | undefined;
    try {
      await db.query('BEGIN');
      const result = await work(db);
      await db.query('COMMIT');
      return result;
    } catch (error) {
      await db.query('ROLLBACK').catch((cause: unknown) => {
        failure = cause instanceof Error ? cause : new Error(String(cause));
      });
      throw error;
    } finally {
      db.release(failure);
    }
  }
}
