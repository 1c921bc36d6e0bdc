import { freePorts } from '@penstock/local-kafka';
import { watchOver } from '@penstock/test-servers';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickhouseConfiguration, writeConfiguration } from './configuration';
import { installClickhouse } from './install-clickhouse';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** How a server is started. */
export interface ClickhouseOptions {
  readonly tls?: ClickhouseConfiguration['tls'];
  /** Of the server. Default: UTC. */
  readonly timezone?: string;
  readonly users?: ClickhouseConfiguration['users'];
}

/** A server that runs as a child of this process and ends with it, also after SIGKILL. */
export interface LocalClickhouse {
  /** Of the HTTP interface. */
  readonly port: number;
  /** May do everything; connects from 127.0.0.1. */
  readonly username: string;
  readonly password: string;
  /** An empty one. */
  readonly database: string;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });

const untilReady = async (server: ChildProcess, folder: string, port: number): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      const log = await readFile(join(folder, 'errors'), 'utf8').catch(() => '');
      throw new Error(`ClickHouse does not start: ${log.slice(-2_000)}`);
    }
    await sleep(POLL_MS);
  }
};

/**
 * Starts a real ClickHouse on a free port of the loopback address, with data of its own in a temporary folder.
 *
 * @throws Error with the end of the server's log when it does not start; no process is left running then.
 */
export const startClickhouse = async ({
  tls,
  timezone = 'UTC',
  users = [],
}: ClickhouseOptions = {}): Promise<LocalClickhouse> => {
  const files = await installClickhouse();
  const folder = await mkdtemp(join(tmpdir(), 'penstock-clickhouse-'));
  const password = randomBytes(12).toString('hex');
  const [port = 0] = await freePorts(1);
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'tmp'));
  const config = await writeConfiguration({ folder, port, timezone, tls, password, users });
  const server = spawn(files.server, [`--config-file=${config}`], {
    env: { ...process.env, LD_LIBRARY_PATH: files.libraries.join(':') },
    stdio: 'ignore',
    cwd: folder,
  });
  const callOff = watchOver(server.pid ?? 0, folder);
  const ended = once(server, 'exit');
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) await kill();
    callOff();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(server, folder, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, username: 'penstock', password, database: 'default', kill, stop };
};
