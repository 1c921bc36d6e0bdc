import { unlink } from 'node:fs/promises';
import { servesCluster } from './connection';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { postmasterPath, readPostmasterFile } from './postmaster-file';
import { type ProcessIdentity, commandLineOf, identify } from './process-identity';
import { untilReady } from './server';

export interface RunningServer {
  readonly identity: ProcessIdentity;
  readonly port: number;
}

/**
 * Finds the cluster's server that outlived its parent. A file that names a dead process, or a pid that
 * another program has by now, does not stop the next start.
 *
 * @throws EmbeddedPostgresError `FolderInUse` when what runs there does not answer as this cluster's server.
 */
export const findRunningServer = async (
  clusterDir: string,
  password: string,
): Promise<RunningServer | undefined> => {
  const file = await readPostmasterFile(clusterDir);
  const identity = file && (await identify(file.pid));
  if (!identity) return undefined;
  if (!(await commandLineOf(identity.pid)).includes(clusterDir)) {
    await unlink(postmasterPath(clusterDir));
    return undefined;
  }
  const port = await untilReady(identity, clusterDir);
  if (port === undefined) return undefined;
  if (await servesCluster(port, password, clusterDir)) return { identity, port };
  throw new EmbeddedPostgresError(
    'FolderInUse',
    `process ${identity.pid} holds ${clusterDir}, but another database answers on its port ${port}`,
  );
};
