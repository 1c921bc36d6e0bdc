import type { ConnectionId, WorkspaceId } from '@penstock/contracts';
import { LeaseLost } from '../engine/lease-lost';
import type { Database } from '../store/database';
import type { ErasureClaim } from './erasure-store';

/** Runs that are looked through with one statement. */
const RUNS_AT_ONCE = 5_000;
/** Errors that are changed in one transaction. */
const ERRORS_AT_ONCE = 500;

/** Whose samples, and which. */
interface Samples {
  readonly workspace: WorkspaceId;
  readonly connection: ConnectionId;
  readonly samples: readonly string[];
}

const FOUND = `
WITH page AS (
  SELECT id, connection FROM penstock_runs.runs WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT ${String(RUNS_AT_ONCE)}
)
SELECT (SELECT max(id) FROM page) AS last,
       ARRAY(SELECT e.id FROM page p JOIN penstock_runs.errors e ON e.run = p.id
              WHERE p.connection = $3 AND e.samples && $4) AS errors`;

/** Whoever settles a batch may have them: they are waited for before the claim is taken, which is renewed meanwhile. */
const LOCK =
  'SELECT FROM penstock_runs.errors WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE';

/** Takes samples out of errors, under a claim, and counts them. */
const CUT = `
WITH claimed AS (
  SELECT erasure FROM penstock_runs.erasures WHERE erasure = $1 AND epoch = $2 AND ended IS NULL FOR UPDATE
), found AS (
  SELECT e.id, e.samples, ARRAY(SELECT sample FROM unnest(e.samples) WITH ORDINALITY AS each (sample, place)
                                 WHERE sample <> ALL ($4) ORDER BY place) AS kept
    FROM penstock_runs.errors e
   WHERE e.id = ANY ($3::bigint[]) AND e.samples && $4 AND EXISTS (SELECT FROM claimed)
), cut AS (
  UPDATE penstock_runs.errors e SET samples = f.kept, texts = e.texts - $4 FROM found f WHERE e.id = f.id
)
UPDATE penstock_runs.erasures AS e
   SET samples = e.samples + coalesce((SELECT sum(cardinality(f.samples) - cardinality(f.kept)) FROM found f), 0)
  FROM claimed WHERE e.erasure = claimed.erasure
RETURNING e.erasure`;

/**
 * Takes ids out of the examples of errors of the runs of a connection, of which there may be those of years: in pieces, none of
 * which keeps the claim from being renewed.
 *
 * @throws LeaseLost
 */
export const eraseSamples = async (
  database: Database,
  { erasure, epoch }: ErasureClaim,
  { workspace, connection, samples }: Samples,
): Promise<void> => {
  const cut = (errors: readonly string[]): Promise<void> =>
    database.transaction(async (db) => {
      await db.query(LOCK, [errors]);
      const { rows } = await db.query(CUT, [erasure, epoch, errors, samples]);
      if (rows.length === 0) throw new LeaseLost();
    });
  for (let from: string | null = ''; from !== null;) {
    const values: readonly unknown[] = [workspace, from, connection, samples];
    const [found] = await database.rows<{ last: string | null; errors: string[] }>(FOUND, values);
    const errors = found?.errors ?? [];
    for (let at = 0; at < errors.length; at += ERRORS_AT_ONCE)
      await cut(errors.slice(at, at + ERRORS_AT_ONCE));
    from = found?.last ?? null;
  }
};
