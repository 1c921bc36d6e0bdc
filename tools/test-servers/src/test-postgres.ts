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

/** Starts a PostgreSQL in a temporary folder, which ends with this process even when that is killed. */
export const startTestPostgres = async (): Promise<TestServer> => {
  const dataDir = await mkdtemp(join(await fastFolder(), 'penstock-postgres-'));
  const server = await startEmbeddedPostgres({ dataDir });
  const callOff = watchOver(server.pid, dataDir);
  const stop = async (): Promise<void> => {
    await server.stop();
    callOff();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { address: server.url, stop };
};
