import type { RunId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import type { TakenKey } from '../engine/run-ledger';
import type { Database } from './database';

const LIVE = 'SELECT FROM penstock_runs.runs WHERE id = $1 AND epoch = $2 AND ended IS NULL';

/** Who has taken a key keeps it. */
const TAKE = `
WITH live AS (${LIVE} FOR SHARE), taken AS (
  INSERT INTO penstock_runs.export_keys (run, key, batch, profile)
  SELECT $1, u.key, $3, u.profile FROM unnest($4::bytea[], $5::text[]) AS u (key, profile), live
  ON CONFLICT (run, key) DO NOTHING
  RETURNING 1
)
SELECT count(*)::int AS count FROM taken`;

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
  SELECT ctid FROM penstock_runs.export_keys WHERE run = $1 LIMIT ${String(AT_ONCE)}))`;

/** Takes keys for profiles. @returns the profiles that have some of them. @throws LeaseLost */
export const takeKeys = async (
  database: Database,
  { run, epoch }: { readonly run: RunId; readonly epoch: number },
  batch: number,
  wanted: readonly TakenKey[],
): Promise<ReadonlySet<string>> => {
  if (wanted.length === 0) return new Set();
  const keys = wanted.map(({ key }) => key);
  const profiles = wanted.map(({ profile }) => profile);
  const values = [run, epoch, batch, keys, profiles];
  const [taken] = await database.rows<{ count: number }>(TAKE, values);
  if (taken?.count === keys.length) return new Set(profiles);
  const owners = await database.rows<{ profile: string }>(OWNERS, [run, epoch, keys]);
  if (owners.length === 0) throw new LeaseLost();
  return new Set(owners.map(({ profile }) => profile));
};

/** Forgets keys of batches that were never settled. */
export const forgetUnsettledKeys = async (
  db: PoolClient,
  run: RunId,
  epoch: number,
): Promise<void> => {
  await db.query(FORGET_UNSETTLED, [run, epoch]);
};

/** Forgets all keys of a run, some at a time. */
export const forgetKeys = async (database: Database, run: RunId): Promise<void> => {
  for (let count = AT_ONCE; count === AT_ONCE;)
    count = await database.transaction(async (db) => (await db.query(FORGET, [run])).rowCount ?? 0);
};
