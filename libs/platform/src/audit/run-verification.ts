import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { reachEmbeddedPostgres } from '@penstock/embedded-postgres';
import { type MessageLog, openPool } from '@penstock/messaging';
import {
  CannotStart,
  createLogger,
  type Logger,
  type PenstockConfig,
  readPenstockConfig,
  SecretBox,
  type Variables,
} from '@penstock/runtime';
import type { Warehouses } from '@penstock/warehouses';
import type { Pool } from 'pg';
import { Closing } from '../closing';
import { refuseOtherLog } from '../installation/claim-log';
import { readSecret } from '../installation/read-secret';
import { openMessageLog } from '../open-message-log';
import { openWarehouses } from '../open-warehouses';
import { runCommand } from '../run-command';
import type { Difference } from './difference';
import { embeddedWarehouseOf, presentWarehouses } from './present-warehouses';

const NAME = 'audit-verify';
const STATEMENT_MS = 20_000;
/** Exit code. */
const NOT_COMPARED = 2;

/** What a verification has found. */
export interface Verified {
  /** What was verified, for people: `12 facts of 3 objects`. */
  readonly what: string;
  /** The first differences. */
  readonly differences: readonly Difference[];
  /** The number of all differences. */
  readonly count: number;
  /** What was not verified, in a sentence each. Absent: everything was. */
  readonly left?: readonly string[];
  /** Whether something of it should have been verified. */
  readonly isPartial?: boolean;
}

/** The installation that is verified. */
export interface VerifiedInstallation {
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly log: MessageLog;
  readonly logger: Logger;
  /** Resolves with undefined where the secret is not known. @throws CannotStart for one that is not whole */
  readonly secrets: () => Promise<SecretBox | undefined>;
  readonly warehouses: Pick<Warehouses, 'get'>;
}

/** That of the environment, or of the data folder. */
const secretsOf = async (config: PenstockConfig): Promise<SecretBox | undefined> => {
  const { DATABASE_URL, PENSTOCK_DATA } = config;
  const inFolder =
    DATABASE_URL === undefined ? await readSecret(resolve(PENSTOCK_DATA)) : undefined;
  const secret = config.PENSTOCK_SECRET ?? inFolder;
  return secret === undefined ? undefined : new SecretBox(secret);
};

/** The URL of the configured database, or of the one in the data folder, which is started if it does not run. */
const databaseUrlOf = async (config: PenstockConfig, opened: Closing): Promise<string> => {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const dataDir = resolve(config.PENSTOCK_DATA);
  if (!existsSync(dataDir))
    throw new CannotStart(
      `there is no data folder ${dataDir}: set PENSTOCK_DATA to the data folder, or DATABASE_URL`,
    );
  const { url, release } = await reachEmbeddedPostgres(dataDir);
  opened.add(release);
  return url;
};

const open = async (config: PenstockConfig, opened: Closing): Promise<VerifiedInstallation> => {
  const logger = createLogger({ ...config, service: NAME });
  const databaseUrl = await databaseUrlOf(config, opened);
  const log = openMessageLog(config, databaseUrl, NAME, logger);
  opened.add(() => log.close());
  const pool = openPool({ connectionString: databaseUrl, max: 1 }, { statementMs: STATEMENT_MS });
  opened.add(() => pool.end());
  await refuseOtherLog(pool, log);
  const isOwn = config.DATABASE_URL === undefined;
  const embedded = isOwn ? embeddedWarehouseOf(databaseUrl) : undefined;
  const warehouses = presentWarehouses(openWarehouses(config, embedded), embedded);
  return { databaseUrl, pool, log, logger, warehouses, secrets: () => secretsOf(config) };
};

const report = ({ what, differences, count, left = [] }: Verified): string =>
  [
    ...left,
    ...differences.map((difference) => `${difference.where} ${difference.what}`),
    ...(count > differences.length ? [`… and ${String(count - differences.length)} more`] : []),
    `${what}: ${count === 0 ? 'no difference' : `${String(count)} differences`}`,
    '',
  ].join('\n');

const exitCodeOf = (all: readonly Verified[]): number => {
  if (all.some(({ count }) => count > 0)) return 1;
  return all.some(({ isPartial = false }) => isPartial) ? NOT_COMPARED : 0;
};

/**
 * Verifies an installation that may be running, and prints the differences. Exit codes: 0 none, 1 some, 2 it could not
 * compare, or not all that it should have.
 *
 * @param variables those of the service whose data is verified.
 */
export const runVerification = (
  variables: Variables,
  ...verifications: readonly ((installation: VerifiedInstallation) => Promise<Verified>)[]
): Promise<void> =>
  runCommand(
    NAME,
    () => readPenstockConfig(process.env, variables, { needsSecret: false }),
    async (config) => {
      const opened = new Closing();
      try {
        const installation = await open(config, opened);
        const all: Verified[] = [];
        for (const verify of verifications) {
          const verified = await verify(installation);
          process.stdout.write(report(verified));
          all.push(verified);
        }
        return exitCodeOf(all);
      } finally {
        await opened.close();
      }
    },
    NOT_COMPARED,
  );
