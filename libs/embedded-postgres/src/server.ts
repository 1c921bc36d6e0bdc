import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { readPostmasterFile } from './postmaster-file';
import { type ProcessIdentity, isRunning } from './process-identity';

const POLL_MS = 20;

/** Crash recovery replays at most `max_wal_size` (1 GB) of WAL: a minute on a slow disk. */
const READY_TIMEOUT_MS = 120_000;

/** A fast shutdown writes one checkpoint. After this time an immediate shutdown leaves that to the next start. */
const FAST_STOP_MS = 15_000;
const IMMEDIATE_STOP_MS = 10_000;

const settled = async (check: () => Promise<boolean>, timeoutMs: number): Promise<boolean> => {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
    if (await check()) return true;
    await sleep(POLL_MS);
  }
  return check();
};

/**
 * Waits until the server with this identity reports that it accepts connections.
 *
 * @returns its port; undefined when it has ended instead.
 * @throws EmbeddedPostgresError `StartFailed` after two minutes.
 */
export const untilReady = async (
  server: ProcessIdentity,
  clusterDir: string,
): Promise<number | undefined> => {
  let port: number | undefined;
  const decided = await settled(async () => {
    const file = await readPostmasterFile(clusterDir);
    if (file?.ready && file.pid === server.pid) port = file.port;
    return port !== undefined || !(await isRunning(server));
  }, READY_TIMEOUT_MS);
  if (decided) return port;
  throw new EmbeddedPostgresError(
    'StartFailed',
    `the embedded PostgreSQL of ${clusterDir} (process ${server.pid}) runs, but takes no connections: look at postgres.log in the data folder, end that process and start again`,
  );
};

/** Sends the signal only while the pid still belongs to the server. A server that ends just before it gets none. */
const signalServer = async (server: ProcessIdentity, signal: NodeJS.Signals): Promise<void> => {
  if (!(await isRunning(server))) return;
  try {
    process.kill(server.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Fast shutdown: rolls back open transactions and writes a checkpoint. Resolves when the process has ended. */
export const stopServer = async (server: ProcessIdentity): Promise<void> => {
  const ended = async () => !(await isRunning(server));
  await signalServer(server, 'SIGINT');
  if (await settled(ended, FAST_STOP_MS)) return;
  await signalServer(server, 'SIGQUIT');
  if (await settled(ended, IMMEDIATE_STOP_MS)) return;
  throw new EmbeddedPostgresError(
    'StartFailed',
    `PostgreSQL (process ${server.pid}) does not stop: end that process; the next start recovers its data`,
  );
};
