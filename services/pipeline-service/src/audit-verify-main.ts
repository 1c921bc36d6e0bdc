import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { openMessageLog } from '@penstock/platform';
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

/** The database that the configuration names, or that of the data folder: Penstock must not be running on it. */
const databaseUrl = async (config: PenstockConfig, opened: Closing): Promise<string> => {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const dataDir = resolve(config.PENSTOCK_DATA);
  if (!existsSync(dataDir)) throw new Error(`there is no data folder ${dataDir}`);
  const postgres = await startEmbeddedPostgres({ dataDir });
  opened.add(() => postgres.stop());
  return postgres.url;
};

const verify = async (): Promise<Verification> => {
  const config = readConfig(process.env, PENSTOCK_VARIABLES);
  const logger = createLogger({ ...config, service: NAME });
  const opened = new Closing();
  try {
    const url = await databaseUrl(config, opened);
    const database = await connectDatabase(url, (reason) => {
      logger.warn({ reason: String(reason) }, 'an idle database connection was lost');
    });
    opened.add(() => database.destroy());
    const log = openMessageLog(config, url, NAME, logger);
    opened.add(() => log.close());
    return await verifyAudit(database, log);
  } finally {
    await opened.close();
  }
};

const report = ({ position, objects, differences }: Verification): string =>
  [
    ...differences.map(({ where, what }) => `${where} ${what}`),
    `${String(position)} facts of ${String(objects)} objects: ` +
      (differences.length === 0 ? 'no difference' : `${String(differences.length)} differences`),
    '',
  ].join('\n');

verify().then(
  (verification) => {
    process.stdout.write(report(verification));
    process.exitCode = verification.differences.length === 0 ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${NAME}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
