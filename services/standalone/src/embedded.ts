import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import type { PenstockConfig } from '@penstock/runtime';
import { checkDataFolder } from './check-data-folder';

/** The database and the secret that the services run with. */
export interface Embedded {
  readonly databaseUrl: string;
  readonly secret: string;
  /** Whether the database is the embedded one in the data folder. */
  readonly isOwnDatabase: boolean;
  stop(): Promise<void>;
}

const SECRET_BYTES = 32;

/** Reads or creates the key that encrypts secrets at rest; readable by this user only. */
const ownSecret = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, 'secret');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(file, 0o600);
  return secret;
};

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
  if (!existsSync(join(dataDir, 'postgres')))
    process.stdout.write(`Creating the database in ${dataDir}\n`);
  const postgres = await startEmbeddedPostgres({ dataDir });
  return {
    databaseUrl: postgres.url,
    secret: PENSTOCK_SECRET ?? (await ownSecret(dataDir)),
    isOwnDatabase: true,
    stop: () => postgres.stop(),
  };
};
