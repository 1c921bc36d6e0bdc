import type { PipelineId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { DestinationId, LaneId } from '../lane-id';
import { unpackChange } from '../change-log';
import type { Cursor, DeliveryKey, OpenDelivery, RecordMark } from '../changes';
import { OpenDeliveries } from '../open-deliveries';
import { PackedRepeats } from '../packed-repeats';
import {
  type LeaseGrant,
  LeaseLost,
  type OffsetRange,
  type PartitionProgress,
  type WaitingKey,
} from '../router-store';
import type { Database } from './sql/database';

/** The columns of a {@link RecordMark}. */
export interface MarkRow {
  readonly mark_offset: string | null;
  readonly mark_ms: number;
  readonly mark_crc: string;
}

interface PartitionRow extends MarkRow {
  readonly sequence: string;
  readonly routed: string;
}

export const markOf = ({ mark_offset, mark_ms, mark_crc }: MarkRow): RecordMark | null =>
  mark_offset === null
    ? null
    : { offset: Number(mark_offset), timestampMs: mark_ms, crc: Number(mark_crc) };

/** The open deliveries of a partition, from its change log. */
export const readOpen = async (db: PoolClient, partition: number): Promise<OpenDelivery[]> => {
  const { rows } = await db.query<{ data: string }>(
    'SELECT data FROM penstock_router.changes WHERE partition = $1 ORDER BY sequence',
    [partition],
  );
  const open = new OpenDeliveries();
  for (const { data } of rows) open.apply(unpackChange(data));
  return open.list();
};

interface CursorRow {
  readonly lane: LaneId;
  readonly order_key: string;
  readonly position: string;
  readonly owed: Readonly<Record<string, number>>;
}

const readCursors = async (db: PoolClient, partition: number): Promise<Cursor[]> => {
  const { rows } = await db.query<CursorRow>(
    `SELECT lane, order_key, position, owed FROM penstock_router.cursors
      WHERE partition = $1 ORDER BY lane, order_key`,
    [partition],
  );
  return rows.map(({ lane, order_key, position, owed }) => ({
    lane,
    orderKey: order_key,
    position: Number(position),
    owed: new Map(Object.entries(owed) as [PipelineId, number][]),
  }));
};

interface RepeatRow {
  readonly offset: string;
  readonly differs: boolean | null;
}

/** Rows of repeats that are in memory at once. */
const REPEATS_AT_ONCE = 50_000;

/** The first repeats behind the offset. */
const repeatsAfter = async (
  db: PoolClient,
  partition: number,
  offset: string,
): Promise<RepeatRow[]> => {
  const { rows } = await db.query<RepeatRow>(
    `SELECT "offset", differs FROM penstock_router.repeats WHERE partition = $1 AND "offset" > $2
      ORDER BY "offset" LIMIT ${REPEATS_AT_ONCE}`,
    [partition, offset],
  );
  return rows;
};

const readRepeats = async (db: PoolClient, partition: number): Promise<PackedRepeats> => {
  const repeats = new PackedRepeats();
  let last: RepeatRow | undefined;
  do {
    const rows = await repeatsAfter(db, partition, last?.offset ?? '-1');
    for (const { offset, differs } of rows) repeats.add({ offset: Number(offset), differs });
    last = rows.length < REPEATS_AT_ONCE ? undefined : rows.at(-1);
  } while (last !== undefined);
  return repeats;
};

interface WaitingKeyRow {
  readonly lane: DestinationId;
  readonly order_key: string;
  readonly rows: number;
  readonly attempts: number;
  readonly due_ms: number;
}

const readWaiting = async (db: PoolClient, partition: number): Promise<WaitingKey[]> => {
  const { rows } = await db.query<WaitingKeyRow>(
    `SELECT lane, order_key, count(*)::int AS rows,
            (array_agg(attempts ORDER BY "offset", pipeline))[1] AS attempts,
            (array_agg(extract(epoch FROM due) * 1000 ORDER BY "offset", pipeline))[1]::double precision AS due_ms
       FROM penstock_router.deliveries WHERE partition = $1 AND state = 'Waiting'
      GROUP BY lane, order_key ORDER BY lane, order_key`,
    [partition],
  );
  return rows.map(({ lane, order_key, rows: count, attempts, due_ms }) => ({
    lane,
    orderKey: order_key,
    rows: count,
    attempts,
    dueMs: due_ms,
  }));
};

interface Beyond {
  readonly finishedBeyond: OffsetRange[];
  readonly storedBeyond: DeliveryKey[];
}

const readBeyond = async (db: PoolClient, partition: number, routed: number): Promise<Beyond> => {
  const { rows } = await db.query<{ first: string; past: string; pipeline: PipelineId | '' }>(
    `SELECT first, past, pipeline FROM penstock_router.beyond
      WHERE partition = $1 AND past > $2 ORDER BY first, pipeline`,
    [partition, routed],
  );
  const finishedBeyond: OffsetRange[] = [];
  const storedBeyond: DeliveryKey[] = [];
  for (const { first, past, pipeline } of rows)
    if (pipeline !== '') storedBeyond.push({ offset: Number(first), pipeline });
    else finishedBeyond.push({ start: Math.max(routed, Number(first)), end: Number(past) });
  return { finishedBeyond, storedBeyond };
};

/** @throws LeaseLost */
export const restore = (
  database: Database,
  { partition, epoch }: LeaseGrant,
): Promise<PartitionProgress> =>
  database.snapshot(async (db) => {
    const { rows } = await db.query<PartitionRow>(
      `SELECT sequence, routed, mark_offset, mark_ms, mark_crc
         FROM penstock_router.partitions WHERE partition = $1 AND epoch = $2`,
      [partition, epoch],
    );
    const [row] = rows;
    if (row === undefined) throw new LeaseLost(partition);
    const routed = Number(row.routed);
    return {
      sequence: Number(row.sequence),
      routed,
      mark: markOf(row),
      open: await readOpen(db, partition),
      cursors: await readCursors(db, partition),
      repeats: await readRepeats(db, partition),
      waiting: await readWaiting(db, partition),
      ...(await readBeyond(db, partition, routed)),
    };
  });
