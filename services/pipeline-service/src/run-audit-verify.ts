import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { reachEmbeddedPostgres } from '@penstock/embedded-postgres';
import type { ChainHead } from '@penstock/contracts';
import { openPool } from '@penstock/messaging';
import { openMessageLog, refuseOtherLog, runCommand } from '@penstock/platform';
import {
  CannotStart,
  createLogger,
  type PenstockConfig,
  readPenstockConfig,
} from '@penstock/runtime';
import { type Verification, verifyAudit } from './audit/verify-audit';
import { Closing } from './closing';
import { connectDatabase } from './database/database';
import { PIPELINE_SERVICE_VARIABLES } from './pipeline-service-variables';

const NAME = 'audit-verify';
const STATEMENT_MS = 20_000;
/** Exit code. */
const NOT_COMPARED = 2;

/** The URL of the configured database, or of the one in the data folder, which is started if it does not run. */
const databaseUrl = async (config: PenstockConfig, opened: Closing): Promise<string> => {
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

/**
 * Parses earlier answers of `GET /v1/audit/head`: arguments of the form `<position>:<hash>`.
 *
 * @throws CannotStart naming the first invalid argument.
 */
const headsIn = (given: readonly string[]): ChainHead[] =>
  given.map((text) => {
    const [, position, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text) ?? [];
    if (position === undefined || hash === undefined)
      throw new CannotStart(
        `${JSON.stringify(text)} is not <position>:<hash>, as GET /v1/audit/head answers them`,
      );
    return { position: Number(position), hash };
  });

const verify = async (config: PenstockConfig): Promise<Verification> => {
  const heads = headsIn(process.argv.slice(2));
  const logger = createLogger({ ...config, service: NAME });
  const opened = new Closing();
  try {
    const url = await databaseUrl(config, opened);
    const database = await connectDatabase(url, (reason) => {
      logger.warn(
        { reason: String(reason) },
        'an idle connection to the database was lost; another is opened when it is needed',
      );
    });
    opened.add(() => database.destroy());
    const log = openMessageLog(config, url, NAME, logger);
    opened.add(() => log.close());
    const pool = openPool({ connectionString: url, max: 1 }, { statementMs: STATEMENT_MS });
    opened.add(() => pool.end());
    await refuseOtherLog(pool, log);
    return await verifyAudit(database, log, { heads });
  } finally {
    await opened.close();
  }
};

const report = ({ position, objects, differences, count }: Verification): string =>
  [
    ...differences.map(({ where, what }) => `${where} ${what}`),
    ...(count > differences.length ? [`… and ${String(count - differences.length)} more`] : []),
    `${String(position)} facts of ${String(objects)} objects: ` +
      (count === 0 ? 'no difference' : `${String(count)} differences`),
    '',
  ].join('\n');

/** Compares what is stored with the facts, and prints the differences. Exit codes: 0 none, 1 some, 2 it could not compare. */
export const runAuditVerify = (): Promise<void> =>
  runCommand(
    NAME,
    () => readPenstockConfig(process.env, PIPELINE_SERVICE_VARIABLES, { needsSecret: false }),
    async (config) => {
      const verification = await verify(config);
      process.stdout.write(report(verification));
      return verification.count === 0 ? 0 : 1;
    },
    NOT_COMPARED,
  );
