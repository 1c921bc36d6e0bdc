import { ADVISORY_LOCK } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { Database } from './sql/database';

/** A sliced table: it is partitioned by ranges of the number of hours or days since 1970. */
export interface Sliced {
  /** Its name within the schema; its slices are called `<table>_<from>`. */
  readonly table: string;
  /** Seconds of one unit. */
  readonly unitSeconds: number;
  /** Units per slice. */
  readonly width: number;
  /** Units for which slices are created ahead. */
  readonly ahead: number;
  /** Units that are kept; a slice is dropped when all of it is older. */
  readonly kept: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Slice extends Range {
  readonly name: string;
}

/** Dropping a slice locks the table; the wait for the lock is limited because queries queue up behind it. */
const LOCK_TIMEOUT_MS = 2_000;

/** The parts of the range that no slice covers. @param slices in order. */
const gapsBetween = (slices: readonly Slice[], { from, to }: Range): Range[] => {
  const gaps: Range[] = [];
  let at = from;
  for (const slice of slices) {
    if (slice.to <= at || slice.from >= to) continue;
    if (slice.from > at) gaps.push({ from: at, to: slice.from });
    at = slice.to;
  }
  if (at < to) gaps.push({ from: at, to });
  return gaps;
};

/** Creates the slices of a table ahead of time and drops old ones, by the database's clock. */
export class TimeSlices {
  constructor(
    private readonly database: Database,
    private readonly sliced: Sliced,
  ) {}

  /** Creates the missing slices from now to `ahead`, around existing ones of any width. */
  make(): Promise<void> {
    const { table, width, ahead } = this.sliced;
    return this.database.transaction(async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.prepareRouter]);
      const now = await this.now(db);
      const first = Math.floor(now / width) * width;
      const slices = await this.slices(db);
      for (let from = first; from <= now + ahead; from += width)
        for (const gap of gapsBetween(slices, { from, to: from + width }))
          await db.query(
            `CREATE TABLE IF NOT EXISTS penstock_router.${table}_${gap.from}
               PARTITION OF penstock_router.${table} FOR VALUES FROM (${gap.from}) TO (${gap.to})`,
          );
    });
  }

  async drop(): Promise<void> {
    const old = await this.database.snapshot(async (db) => {
      const oldest = (await this.now(db)) - this.sliced.kept;
      return (await this.slices(db)).filter(({ to }) => to <= oldest);
    });
    for (const { name } of old)
      await this.database.transaction(async (db) => {
        await db.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await db.query(`DROP TABLE IF EXISTS penstock_router.${name}`);
      });
  }

  private async now(db: PoolClient): Promise<number> {
    const { rows } = await db.query<{ unit: number }>(
      'SELECT floor(extract(epoch FROM now()) / $1)::int AS unit',
      [this.sliced.unitSeconds],
    );
    return rows[0]?.unit ?? 0;
  }

  /** The existing slices, in order. */
  private async slices(db: PoolClient): Promise<Slice[]> {
    const { rows } = await db.query<{ name: string; bounds: string }>(
      `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
         FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = $1::regclass`,
      [`penstock_router.${this.sliced.table}`],
    );
    return rows
      .map(({ name, bounds }) => {
        const [from, to] = (bounds.match(/\d+/g) ?? []).map(Number);
        return { name, from: from ?? 0, to: to ?? 0 };
      })
      .sort((a, b) => a.from - b.from);
  }
}
