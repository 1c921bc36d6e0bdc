import type { RunId } from '@penstock/contracts';
import { DatabaseError, type PoolClient } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import type { TakenKey } from '../engine/run-ledger';
import type { Database } from './database';

const LIVE = 'SELECT FROM penstock_runs.runs WHERE id = $1 AND epoch = $2 AND ended IS NULL';

/**
 * Fails as a whole when some key is taken: to look for each one first would take twice the time. In the order of the index, so that
 * each of its pages is found once.
 */
const TAKE_ALL = `
WITH live AS (${LIVE} FOR SHARE)
INSERT INTO penstock_runs.export_keys (run, key, batch, profile)
SELECT $1, u.key, $3, u.profile FROM unnest($4::bytea[], $5::text[]) AS u (key, profile), live ORDER BY u.key`;

/** Who has taken a key keeps it. */
const TAKE_FREE = `${TAKE_ALL} ON CONFLICT (run, key) DO NOTHING`;

const OWNERS = `
SELECT profile FROM penstock_runs.export_keys
 WHERE run = $1 AND key = ANY ($3::bytea[]) AND EXISTS (${LIVE})`;

const FORGET_UNSETTLED = `
DELETE FROM penstock_runs.export_keys k USING penstock_runs.runs r
 WHERE r.id = $1 AND r.epoch = $2 AND r.ended IS NULL AND k.run = r.id AND k.batch > r.sequence`;

/** Keys that are forgotten with one statement. */
const AT_ONCE = 20_000;

const FORGET = `
DELETE FROM penstock_runs.export_keys WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM penstock_runs.export_keys WHERE run = ANY ($1) LIMIT ${String(AT_ONCE)}))`;

const UNIQUE_VIOLATION = '23505';

const isTaken = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;

/** Takes keys for the profiles of a run under one claim. */
export class TakenKeys {
  /** Some key of the run was wanted twice: it is likely that others are, too. */
  private mayRepeat = false;

  constructor(
    private readonly database: Database,
    private readonly claim: { readonly run: RunId; readonly epoch: number },
  ) {}

  /** @returns the profiles that have some of these keys. @throws LeaseLost */
  async take(batch: number, wanted: readonly TakenKey[]): Promise<ReadonlySet<string>> {
    if (wanted.length === 0) return new Set();
    const { run, epoch } = this.claim;
    const keys = wanted.map(({ key }) => key);
    const profiles = wanted.map(({ profile }) => profile);
    const taken = await this.takeFree([run, epoch, batch, keys, profiles]);
    if (taken === keys.length) return new Set(profiles);
    const owners = await this.database.rows<{ profile: string }>(OWNERS, [run, epoch, keys]);
    if (owners.length === 0) throw new LeaseLost();
    return new Set(owners.map(({ profile }) => profile));
  }

  /** @returns how many were free. */
  private async takeFree(values: readonly unknown[]): Promise<number> {
    if (!this.mayRepeat)
      try {
        return await this.database.change(TAKE_ALL, values);
      } catch (error) {
        if (!isTaken(error)) throw error;
        this.mayRepeat = true;
      }
    return this.database.change(TAKE_FREE, values);
  }
}

/** Forgets keys of batches that were never settled. */
export const forgetUnsettledKeys = async (
  db: PoolClient,
  run: RunId,
  epoch: number,
): Promise<void> => {
  await db.query(FORGET_UNSETTLED, [run, epoch]);
};

/** Forgets all keys of runs, some at a time. */
export const forgetKeys = async (database: Database, runs: readonly RunId[]): Promise<void> => {
  for (let count = AT_ONCE; count === AT_ONCE;)
    count = await database.transaction(
      async (db) => (await db.query(FORGET, [runs])).rowCount ?? 0,
    );
};
