import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { watchOver } from '@penstock/test-servers';
import { lendCluster } from './lend-cluster';

/** Starts a PostgreSQL that ends with this process, however that ends; its folder is removed then. */
export const startDatabase = async (folder: string, port?: number): Promise<EmbeddedPostgres> => {
  const dataDir = join(folder, 'database');
  await lendCluster(dataDir);
  const database = await startEmbeddedPostgres({ dataDir, ...(port !== undefined && { port }) });
  const callOff = watchOver(database.pid, folder);
  const stop = async (): Promise<void> => {
    await database.stop();
    callOff();
  };
  return { ...database, stop };
};
