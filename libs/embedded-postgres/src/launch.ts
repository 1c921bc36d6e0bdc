import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account';
import type { RunningServer } from './adopt';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { explainFailure } from './explain-failure';
import { clusterIn } from './home';
import { type ProcessIdentity, identify } from './process-identity';
import { CHILD_ENVIRONMENT } from './run-as';
import { untilReady } from './server';
import { SOCKET_DIRECTORY } from './server-socket';
import { serverArguments, type ServerSettings } from './settings';

const MAX_LOG_BYTES = 10_000_000;

/**
 * Retries a start: the backends of a dead server take a moment to end, and a port chosen as free may be taken before it
 * is used.
 */
const ATTEMPTS = 20;
const RETRY_AFTER_MS = 250;

/** Printed on a file system that does not support sockets, such as some that are shared with a container's host. */
const NO_SOCKETS = /could not create any Unix-domain sockets/;

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const sizeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

const openLog = async (file: string) => {
  if ((await sizeOf(file)) > MAX_LOG_BYTES) await rename(file, `${file}.old`);
  return { log: await open(file, 'a', 0o600), begin: await sizeOf(file) };
};

interface Place {
  readonly home: string;
  readonly account: Account | undefined;
  readonly settings?: ServerSettings | undefined;
}

/** Spawns the server with its log in a file rather than a pipe: it keeps logging when this process is killed. */
const spawnServer = async (
  { postgres }: Binaries,
  { home, account, settings }: Place,
  listening: { readonly port: number; readonly socketDirectory: string },
  log: FileHandle,
): Promise<ProcessIdentity | undefined> => {
  const { port, socketDirectory } = listening;
  const args = serverArguments(clusterIn(home), port, socketDirectory, settings);
  const child = spawn(postgres, args, {
    ...account,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  child.unref();
  return identify(child.pid ?? 0);
};

const launchOnce = async (
  binaries: Binaries,
  place: Place,
  port: number,
  socketDirectory = SOCKET_DIRECTORY,
): Promise<RunningServer> => {
  const clusterDir = clusterIn(place.home);
  const logFile = join(place.home, 'postgres.log');
  const { log, begin } = await openLog(logFile);
  const listening = { port, socketDirectory };
  let identity: Awaited<ReturnType<typeof spawnServer>>;
  try {
    identity = await spawnServer(binaries, place, listening, log);
  } finally {
    await log.close();
  }
  const ready = identity && (await untilReady(identity, clusterDir));
  if (identity && ready !== undefined) return { identity, port: ready };
  const printed = (await readFile(logFile)).subarray(begin).toString();
  if (NO_SOCKETS.test(printed) && socketDirectory !== '')
    return launchOnce(binaries, place, port, '');
  throw explainFailure(printed, clusterDir);
};

const passes = (error: unknown, portIsFixed: boolean): boolean =>
  error instanceof EmbeddedPostgresError &&
  (error.code === 'FolderInUse' || (error.code === 'PortInUse' && !portIsFixed));

/**
 * Starts the server in a process group of its own, so that Ctrl-C in the terminal does not end it before its clients.
 *
 * @param port default: any free one.
 * @throws EmbeddedPostgresError with the server's output and a remedy.
 */
export const launchServer = async (
  binaries: Binaries,
  place: Place,
  port: number | undefined,
): Promise<RunningServer> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await launchOnce(binaries, place, port ?? (await freePort()));
    } catch (error) {
      if (attempt === ATTEMPTS || !passes(error, port !== undefined)) throw error;
      await sleep(RETRY_AFTER_MS);
    }
};
