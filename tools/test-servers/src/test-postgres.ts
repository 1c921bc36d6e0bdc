import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../libs/embedded-postgres/src';
import { watchOver } from './watchdog';

export interface TestServer {
  /** Its URL, or a list of brokers. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A file system in memory. */
const MEMORY = '/dev/shm';
/** Much more than the data of all specs. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Where the data is: in memory where that is large enough, since no spec cuts off the power. */
const fastFolder = async (): Promise<string> => {
  const found = await statfs(MEMORY).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
};

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
