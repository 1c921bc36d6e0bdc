import { ADVISORY_LOCK } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { Database } from '../sql/database';
import { ALERTS } from './alerts';
import { AUDIENCE_TIMES } from './audience-times';
import { JOBS } from './jobs';
import { METRICS_OVER_TIME } from './metrics-over-time';
import { OBSERVATIONS } from './observations';
import { REFUSED_EVENTS } from './refused-events';
import { REPLAY_DELIVERIES } from './replay-deliveries';
import { REPLAYS } from './replays';
import { SHOWN_REPLAYS } from './shown-replays';
import { TRACES } from './traces';
import { VERSION_1 } from './version-1';
import { VERSION_2 } from './version-2';
import { VERSION_3 } from './version-3';
import { VERSION_4 } from './version-4';
import { VERSION_5 } from './version-5';

/** The n-th step, counted from 1, migrates the tables from version n - 1 to version n. */
const STEPS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  OBSERVATIONS,
  TRACES,
  JOBS,
  REPLAYS,
  METRICS_OVER_TIME,
  REFUSED_EVENTS,
  ALERTS,
  REPLAY_DELIVERIES,
  SHOWN_REPLAYS,
  AUDIENCE_TIMES,
];

/** Time limit of a step, or of the wait for another process that runs it: it may rebuild the index of a large table. */
const STEP_TIMEOUT_MS = 3_600_000;

const run = (db: PoolClient, text: string, values: unknown[] = []): Promise<unknown> =>
  db.query(Object.assign({ text, values }, { query_timeout: STEP_TIMEOUT_MS }));

/** The version of the tables; 0: there are none. Tables of version 1 have no record of their version. */
const versionOf = async (db: PoolClient): Promise<number> => {
  const { rows } = await db.query<{ version: number | null; isOld: boolean }>(
    `SELECT (SELECT max(version) FROM penstock_router.migrations) AS version,
            to_regclass('penstock_router.partitions') IS NOT NULL AS "isOld"`,
  );
  return rows[0]?.version ?? (rows[0]?.isOld === true ? 1 : 0);
};

/** Runs the next step. @returns whether there are more. */
const takeStep = async (db: PoolClient): Promise<boolean> => {
  await run(db, 'SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.prepareRouter]);
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
 * Migrates the tables to the current version, with one transaction per step. Concurrent processes take turns.
 *
 * @throws Error when a newer release has created the tables.
 */
export const migrate = async (database: Database): Promise<void> => {
  while (await database.transaction(takeStep));
};
