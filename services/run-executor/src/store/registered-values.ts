import type { RunId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import type { TakenKey } from '../engine/run-ledger';
import type { ValueOwner } from '../engine/user-ledger';
import type { Database } from './database';

/** A claim of a run. */
interface Claim {
  readonly run: RunId;
  readonly epoch: number;
}

/** Of several profiles with one value. */
const SEVERAL = '';

/** Who registers a value that another profile has makes it one of several. Batch 0: no user was created for it. */
const REGISTER = `
WITH live AS (
  SELECT sequence FROM penstock_runs.runs WHERE id = $1 AND epoch = $2 AND ended IS NULL FOR SHARE
)
INSERT INTO penstock_runs.export_keys AS k (run, key, batch, profile)
SELECT $1, u.key, 0, u.profile FROM unnest($3::bytea[], $4::text[]) AS u (key, profile), live
ON CONFLICT (run, key) DO UPDATE
   SET profile = CASE WHEN k.profile = excluded.profile THEN k.profile ELSE '${SEVERAL}' END
RETURNING encode(key, 'hex') AS key, profile, batch > (SELECT sequence FROM live) AS "mayBeCreated"`;

/** In one statement, which marks nothing where the claim is lost. */
const MARK = `
WITH live AS (
  SELECT FROM penstock_runs.runs WHERE id = $1 AND epoch = $2 AND ended IS NULL FOR SHARE
), marked AS (
  UPDATE penstock_runs.export_keys SET batch = $3
   WHERE run = $1 AND key = ANY ($4::bytea[]) AND EXISTS (SELECT FROM live)
)
SELECT FROM live`;

interface OwnerRow {
  readonly key: string;
  readonly profile: string;
  readonly mayBeCreated: boolean;
}

/** A statement changes each row once: a value that is there twice is given as one of several. */
const byKey = (values: readonly TakenKey[]): ReadonlyMap<string, TakenKey> => {
  const found = new Map<string, TakenKey>();
  for (const value of values) {
    const name = value.key.toString('hex');
    const isSame = (found.get(name) ?? value).profile === value.profile;
    found.set(name, isSame ? value : { key: value.key, profile: SEVERAL });
  }
  return found;
};

/** Records which profiles have which values. @returns who has them by now, in their order @throws LeaseLost */
export const registerValues = async (
  db: PoolClient,
  { run, epoch }: Claim,
  values: readonly TakenKey[],
): Promise<readonly ValueOwner[]> => {
  const each = [...byKey(values).values()];
  const { rows } = await db.query<OwnerRow>(REGISTER, [
    ...[run, epoch, each.map(({ key }) => key), each.map(({ profile }) => profile)],
  ]);
  if (rows.length === 0 && values.length > 0) throw new LeaseLost();
  const owners = new Map(
    rows.map(({ key, profile, mayBeCreated }) => [
      key,
      { profile: profile === SEVERAL ? null : profile, mayBeCreated },
    ]),
  );
  return values.map(
    ({ key }) => owners.get(key.toString('hex')) ?? { profile: null, mayBeCreated: false },
  );
};

/** Records for which values users are about to be created. @throws LeaseLost */
export const markCreated = async (
  database: Database,
  { run, epoch }: Claim,
  batch: number,
  keys: readonly Buffer[],
): Promise<void> => {
  const rows = await database.rows(MARK, [run, epoch, batch, keys]);
  if (rows.length === 0) throw new LeaseLost();
};
