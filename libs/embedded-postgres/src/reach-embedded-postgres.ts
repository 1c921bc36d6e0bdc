import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { passwordOf } from './cluster';
import { servesCluster } from './connection';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { clusterIn, findHome } from './home';
import { readPostmasterFile } from './postmaster-file';
import { startEmbeddedPostgres, urlOfRunning } from './start-embedded-postgres';

/** Waits up to 10 s: the process that holds the folder may still be starting its server. */
const ATTEMPTS = 40;
const RETRY_AFTER_MS = 250;

/** A connection to a server that this call or another process started. */
export interface ReachedPostgres {
  /** See `EmbeddedPostgres.url`. */
  readonly url: string;
  /** Stops the server if this call started it. */
  release(): Promise<void>;
}

/** @returns the URL of the server that another process runs; undefined when none answers. */
const urlOfOther = async (clusterDir: string): Promise<string | undefined> => {
  const file = await readPostmasterFile(clusterDir);
  if (file?.ready !== true) return undefined;
  const password = await passwordOf(clusterDir);
  const isIts = await servesCluster(file.port, password, clusterDir).catch(() => false);
  return isIts ? urlOfRunning(file.port, password, clusterDir) : undefined;
};

const reachOther = async (
  folder: string,
  inUse: EmbeddedPostgresError,
): Promise<ReachedPostgres> => {
  const clusterDir = clusterIn(await findHome(await realpath(folder)));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const url = await urlOfOther(clusterDir);
    if (url !== undefined) return { url, release: () => Promise.resolve() };
    await sleep(RETRY_AFTER_MS);
  }
  throw inUse;
};

/** @throws EmbeddedPostgresError `NoCluster`, `FolderLost` */
const checkCluster = async (dataDir: string): Promise<void> => {
  const version = join(clusterIn(await findHome(resolve(dataDir))), 'PG_VERSION');
  if (await stat(version).catch(() => undefined)) return;
  throw new EmbeddedPostgresError(
    'NoCluster',
    `${dataDir} holds no database: set PENSTOCK_DATA to the data folder, or DATABASE_URL`,
  );
};

/**
 * Connects to the PostgreSQL of a data folder: to the server of the process that holds the folder, or to one that this
 * call starts.
 *
 * @throws EmbeddedPostgresError `NoCluster` when the folder holds no database: none is created; `FolderInUse` when a
 *   process holds the folder but no server answers within 10 s; or as `startEmbeddedPostgres`.
 */
export const reachEmbeddedPostgres = async (dataDir: string): Promise<ReachedPostgres> => {
  await checkCluster(dataDir);
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir });
    return { url, release: stop };
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.code !== 'FolderInUse') throw error;
    return reachOther(resolve(dataDir), error);
  }
};
