import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../libs/embedded-postgres/src';
import { fastFolder } from './fast-folder';
import { watchOver } from './watchdog';

export interface TestServer {
  /** Its URL, or a list of brokers. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Its data is nobody's after the run, so that nothing is written for the sake of a crash; and the many databases of specs
 * are not all looked at every twenty seconds.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  autovacuum_naptime: '60s',
};

/** Starts a PostgreSQL in a temporary folder, which ends with this process even when that is killed. */
export const startTestPostgres = async (): Promise<TestServer> => {
  const dataDir = await mkdtemp(join(await fastFolder(), 'penstock-postgres-'));
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  const callOff = watchOver(server.pid, dataDir);
  const stop = async (): Promise<void> => {
    await server.stop();
    callOff();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { address: server.url, stop };
};
