import { unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { servesCluster } from './connection';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { postmasterPath, readPostmasterFile } from './postmaster-file';
import { type ProcessIdentity, commandLineOf, identify, isRunning } from './process-identity';
import { untilReady } from './server';
import { removeStaleSockets } from './server-socket';

export interface RunningServer {
  readonly identity: ProcessIdentity;
  readonly port: number;
}

/** A server that is shutting down, or has no free connection, is retried for up to 5 s. */
const ATTEMPTS = 20;
const RETRY_AFTER_MS = 250;

/**
 * Asks the server on the port for its data directory.
 *
 * @returns whether it is this cluster's server; undefined when the server's process has ended.
 */
const confirm = async (
  { identity, port }: RunningServer,
  clusterDir: string,
  password: string,
): Promise<boolean | undefined> => {
  for (let attempt = 1; await isRunning(identity); attempt += 1)
    try {
      return await servesCluster(port, password, clusterDir);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await sleep(RETRY_AFTER_MS);
    }
  return undefined;
};

/**
 * Finds the process that the postmaster file names. Deletes the file when its pid now belongs to another program:
 * PostgreSQL would refuse to start.
 */
const findIdentity = async (clusterDir: string): Promise<ProcessIdentity | undefined> => {
  const file = await readPostmasterFile(clusterDir);
  const identity = file && (await identify(file.pid));
  if (!identity || (await commandLineOf(identity.pid)).includes(clusterDir)) return identity;
  await unlink(postmasterPath(clusterDir));
  return undefined;
};

/**
 * Finds the cluster's server when it outlived its parent process.
 *
 * @returns undefined when there is none; leftovers of it that would stop the next start have been removed.
 * @throws EmbeddedPostgresError `FolderInUse` when the process that runs there does not answer as this cluster's
 *   server.
 */
export const findRunningServer = async (
  clusterDir: string,
  password: string,
): Promise<RunningServer | undefined> => {
  const identity = await findIdentity(clusterDir);
  const port = identity && (await untilReady(identity, clusterDir));
  if (!identity || port === undefined) {
    await removeStaleSockets(clusterDir);
    return undefined;
  }
  const server = { identity, port };
  const confirmed = await confirm(server, clusterDir, password);
  if (confirmed !== false) return confirmed && server;
  throw new EmbeddedPostgresError(
    'FolderInUse',
    `process ${identity.pid} holds ${clusterDir}, but another database answers on its port ${port}: stop that process, or the other database, and start again`,
  );
};
