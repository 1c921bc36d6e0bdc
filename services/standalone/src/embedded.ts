import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { readSecret, type StartingProcess } from '@penstock/platform';
import type { PenstockConfig } from '@penstock/runtime';
import { checkDataFolder } from './check-data-folder';
import { ownSecret } from './own-secret';

/** The database and the secret that the services run with. */
export interface Embedded {
  readonly databaseUrl: string;
  readonly secret: string;
  /** Whether the database is the embedded one in the data folder. */
  readonly isOwnDatabase: boolean;
  stop(): Promise<void>;
}

/**
 * Opens the database and the secret that the configuration names, or else those of the data folder. The process ends when
 * the embedded database has ended and cannot be started again.
 */
export const openEmbedded = async (
  { DATABASE_URL, PENSTOCK_SECRET, PENSTOCK_DATA }: PenstockConfig,
  { logger, shutdown }: Pick<StartingProcess, 'logger' | 'shutdown'>,
): Promise<Embedded> => {
  if (DATABASE_URL !== undefined && PENSTOCK_SECRET !== undefined)
    return {
      databaseUrl: DATABASE_URL,
      secret: PENSTOCK_SECRET,
      isOwnDatabase: false,
      stop: () => Promise.resolve(),
    };
  const dataDir = resolve(PENSTOCK_DATA);
  await checkDataFolder(dataDir);
  const secret = PENSTOCK_SECRET ?? (await readSecret(dataDir));
  const isNew = !existsSync(join(dataDir, 'postgres'));
  if (isNew) process.stdout.write(`Creating the database in ${dataDir}\n`);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    notice: (text) => {
      logger.warn(text);
    },
    onLost: ({ message }) => {
      logger.fatal(`${message}: the process ends with 1`);
      void shutdown.end(1);
    },
  });
  if (isNew) process.stdout.write('Starting the services\n');
  try {
    return {
      databaseUrl: postgres.url,
      secret: secret ?? (await ownSecret(dataDir)),
      isOwnDatabase: true,
      stop: () => postgres.stop(),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
};
