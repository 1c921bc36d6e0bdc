import { isDead, type Owner } from '../owner';
import type { LeaseGrant } from '../router-store';
import type { Database } from './sql/database';

/** Time after the end of a lease before it is free, for an owner that notices the end late. */
const MARGIN_MS = 1_000;

/** Identifies this process to the other members. */
export interface Identity {
  readonly member: string;
  readonly process: Owner;
}

interface LockedRow {
  readonly partition: number;
  readonly process: Owner | null;
  readonly is_free: boolean;
}

const partitionsOf = (grants: readonly LeaseGrant[]): number[] =>
  grants.map(({ partition }) => partition);

const epochsOf = (grants: readonly LeaseGrant[]): number[] => grants.map(({ epoch }) => epoch);

/** Whether a lease can be acquired: it was released, or it lapsed longer ago than the margin. */
const IS_FREE = 'member IS NULL OR free_from < now()';

/** Locks rows in the order of their partitions, as commits do, to avoid deadlocks. */
const LOCKED_GRANTS = `
WITH g AS (SELECT * FROM unnest($1::int[], $2::bigint[]) AS g (partition, epoch)),
locked AS (
  SELECT p.partition, p.epoch FROM penstock_router.partitions p
   WHERE p.partition = ANY($1) ORDER BY p.partition FOR NO KEY UPDATE)`;

const KEPT = `FROM locked JOIN g USING (partition, epoch) WHERE p.partition = locked.partition`;

/** The leases on the partitions, by the database's clock. */
export class Leases {
  constructor(
    private readonly database: Database,
    private readonly me: Identity,
    private readonly leaseMs: number,
  ) {}

  acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    return this.database.transaction(async (db) => {
      await db.query(
        `INSERT INTO penstock_router.partitions (partition)
         SELECT * FROM unnest($1::int[]) ORDER BY 1 ON CONFLICT DO NOTHING`,
        [partitions],
      );
      const { rows } = await db.query<LockedRow>(
        `SELECT partition, process, (${IS_FREE} OR member = $2) AS is_free FROM penstock_router.partitions
          WHERE partition = ANY($1) ORDER BY partition FOR NO KEY UPDATE`,
        [partitions, this.me.member],
      );
      const free = rows.filter((row) => row.is_free || this.isOfTheDead(row.process));
      const granted = await db.query<{ partition: number; epoch: string }>(
        `UPDATE penstock_router.partitions SET epoch = epoch + 1, member = $2, process = $3, ${this.lease('$4')}
          WHERE partition = ANY($1) RETURNING partition, epoch`,
        [free.map(({ partition }) => partition), this.me.member, this.me.process, this.leaseMs],
      );
      return granted.rows
        .map(({ partition, epoch }) => ({ partition, epoch: Number(epoch) }))
        .sort((a, b) => a.partition - b.partition);
    });
  }

  async renew(grants: readonly LeaseGrant[]): Promise<readonly number[]> {
    const rows = await this.database.rows<{ partition: number }>(
      `${LOCKED_GRANTS}
       UPDATE penstock_router.partitions p SET ${this.lease('$3')} ${KEPT} RETURNING p.partition`,
      [partitionsOf(grants), epochsOf(grants), this.leaseMs],
    );
    return rows.map(({ partition }) => partition);
  }

  async release(grants: readonly LeaseGrant[]): Promise<void> {
    await this.database.rows(
      `${LOCKED_GRANTS}
       UPDATE penstock_router.partitions p
          SET member = NULL, process = NULL, until = '-infinity', free_from = '-infinity' ${KEPT}`,
      [partitionsOf(grants), epochsOf(grants)],
    );
  }

  /** The holder of each partition below `partitions`; inserts missing rows. */
  async views(partitions: number) {
    await this.database.rows(
      `INSERT INTO penstock_router.partitions (partition)
       SELECT number FROM generate_series(0, $1 - 1) AS number
        WHERE NOT EXISTS (SELECT FROM penstock_router.partitions WHERE partition = number)
        ORDER BY number ON CONFLICT DO NOTHING`,
      [partitions],
    );
    const rows = await this.database.rows<LockedRow & { readonly member: string | null }>(
      `SELECT partition, member, process, (${IS_FREE}) AS is_free FROM penstock_router.partitions
        WHERE partition < $1 ORDER BY partition`,
      [partitions],
    );
    return rows.map(({ partition, member, process, is_free }) => ({
      partition,
      member,
      isFree: is_free || this.isOfTheDead(process),
    }));
  }

  private isOfTheDead(process: Owner | null): boolean {
    return process !== null && isDead(process, this.me.process);
  }

  /** SQL that sets the end of a lease. @param leaseMs the parameter with its length, such as `$3`. */
  private lease(leaseMs: string): string {
    return `until = now() + ${leaseMs} * interval '1 millisecond',
            free_from = now() + (${leaseMs} + ${MARGIN_MS}) * interval '1 millisecond'`;
  }
}
