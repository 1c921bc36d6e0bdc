import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { readSecret } from '@penstock/platform';
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

/** Opens the database and the secret that the configuration names, or else those of the data folder. */
export const openEmbedded = async ({
  DATABASE_URL,
  PENSTOCK_SECRET,
  PENSTOCK_DATA,
}: PenstockConfig): Promise<Embedded> => {
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
  const postgres = await startEmbeddedPostgres({ dataDir });
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
