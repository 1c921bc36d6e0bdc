import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { reachEmbeddedPostgres } from '@penstock/embedded-postgres';
import type { ChainHead } from '@penstock/contracts';
import { openPool } from '@penstock/messaging';
import { openMessageLog, refuseOtherLog } from '@penstock/platform';
import {
  createLogger,
  type PenstockConfig,
  PENSTOCK_VARIABLES,
  readConfig,
} from '@penstock/runtime';
import { type Verification, verifyAudit } from './audit/verify-audit';
import { Closing } from './closing';
import { connectDatabase } from './database/database';

const NAME = 'audit-verify';
const STATEMENT_MS = 20_000;

/** The URL of the configured database, or of the one in the data folder, which is started if it does not run. */
const databaseUrl = async (config: PenstockConfig, opened: Closing): Promise<string> => {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const dataDir = resolve(config.PENSTOCK_DATA);
  if (!existsSync(dataDir)) throw new Error(`there is no data folder ${dataDir}`);
  const { url, release } = await reachEmbeddedPostgres(dataDir);
  opened.add(release);
  return url;
};

/**
 * Parses earlier answers of `GET /v1/audit/head`: arguments of the form `<position>:<hash>`.
 *
 * @throws Error naming the first invalid argument.
 */
const headsIn = (given: readonly string[]): ChainHead[] =>
  given.map((text) => {
    const [, position, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text) ?? [];
    if (position === undefined || hash === undefined)
      throw new Error(
        `${JSON.stringify(text)} is not <position>:<hash>, as GET /v1/audit/head answers them`,
      );
    return { position: Number(position), hash };
  });

const verify = async (): Promise<Verification> => {
  const heads = headsIn(process.argv.slice(2));
  const config = readConfig(process.env, PENSTOCK_VARIABLES);
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

verify().then(
  (verification) => {
    process.stdout.write(report(verification));
    process.exitCode = verification.count === 0 ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${NAME}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
