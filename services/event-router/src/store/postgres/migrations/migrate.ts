import type { PoolClient } from 'pg';
import type { Database } from '../sql/database';
import { VERSION_1 } from './version-1';
import { VERSION_2 } from './version-2';
import { VERSION_3 } from './version-3';
import { VERSION_4 } from './version-4';

/** Each brings the tables from the version before it to the version that is its place, counted from 1. */
const STEPS: readonly string[] = [VERSION_1, VERSION_2, VERSION_3, VERSION_4];

/** Any number that nothing else in the database locks; routers of version 1 made their tables under it, too. */
export const PREPARE_LOCK = 7_300_101;

/** A step may rebuild the index of a large table, and another process may be about it: no reason to give up. */
const STEP_TIMEOUT_MS = 3_600_000;

const run = (db: PoolClient, text: string, values: unknown[] = []): Promise<unknown> =>
  db.query(Object.assign({ text, values }, { query_timeout: STEP_TIMEOUT_MS }));

/** 0: there are no tables. Those of version 1 were made without saying which version they are of. */
const versionOf = async (db: PoolClient): Promise<number> => {
  const { rows } = await db.query<{ version: number | null; isOld: boolean }>(
    `SELECT (SELECT max(version) FROM penstock_router.migrations) AS version,
            to_regclass('penstock_router.partitions') IS NOT NULL AS "isOld"`,
  );
  return rows[0]?.version ?? (rows[0]?.isOld === true ? 1 : 0);
};

/** @returns whether there are more steps to take. */
const takeStep = async (db: PoolClient): Promise<boolean> => {
  await run(db, 'SELECT pg_advisory_xact_lock($1)', [PREPARE_LOCK]);
  await db.query(`
    CREATE SCHEMA IF NOT EXISTS penstock_router;
    CREATE TABLE IF NOT EXISTS penstock_router.migrations (
      version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`);
  const version = await versionOf(db);
  if (version > STEPS.length)
    throw new Error(
      `the router's tables are of version ${version}, which a newer release has made; this one knows them up to version ${STEPS.length}`,
    );
  const step = STEPS[version];
  if (step === undefined) return false;
  await run(db, step);
  await db.query('INSERT INTO penstock_router.migrations (version) VALUES ($1)', [version + 1]);
  return version + 1 < STEPS.length;
};

/**
 * Brings the tables to the present version, a transaction a step; processes that do so at once take turns.
 *
 * @throws Error when a newer release has made them.
 */
export const migrate = async (database: Database): Promise<void> => {
  while (await database.transaction(takeStep));
};
