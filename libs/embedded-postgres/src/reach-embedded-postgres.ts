import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { passwordOf } from './cluster';
import { servesCluster } from './connection';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { clusterIn, findHome } from './home';
import { readPostmasterFile } from './postmaster-file';
import { startEmbeddedPostgres, urlOfRunning } from './start-embedded-postgres';

/** Who has the folder may be about to start its server. */
const ATTEMPTS = 40;
const RETRY_AFTER_MS = 250;

/** A server to work with, whoever has started it. */
export interface ReachedPostgres {
  /** As of an `EmbeddedPostgres`. */
  readonly url: string;
  /** Ends the server if it was started for this. */
  release(): Promise<void>;
}

/** @returns undefined when none answers there. */
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

/**
 * Reaches the PostgreSQL of a data folder: that of the process which has the folder, or one that is started meanwhile.
 *
 * @throws EmbeddedPostgresError `FolderInUse` when a process has the folder but no server answers within 10 s; or as
 *   `startEmbeddedPostgres`.
 */
export const reachEmbeddedPostgres = async (dataDir: string): Promise<ReachedPostgres> => {
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir });
    return { url, release: stop };
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.code !== 'FolderInUse') throw error;
    return reachOther(resolve(dataDir), error);
  }
};
