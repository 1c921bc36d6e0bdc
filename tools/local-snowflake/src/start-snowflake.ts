import { freePorts } from '@penstock/local-kafka';
import { installPythonPackages, watchOver } from '@penstock/test-servers';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SOURCES = join(__dirname, '..', 'src');
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** A server that runs as a child of this process and ends with it, also after SIGKILL. */
export interface LocalSnowflake {
  readonly port: number;
  /** May do everything; there is one role, one virtual warehouse, and one database with one schema, which are empty. */
  readonly username: string;
  readonly password: string;
  readonly role: string;
  readonly warehouse: string;
  readonly database: string;
  readonly schema: string;
  /** How many statements with these words run, and how many sessions there are. */
  count(words: string): Promise<{ readonly running: number; readonly sessions: number }>;
  /** Ends the statements with these words, and forgets results that have not been fetched. */
  terminate(words: string): Promise<void>;
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

const untilReady = async (server: ChildProcess, log: string, port: number): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      const text = await readFile(log, 'utf8');
      throw new Error(`the stand-in of Snowflake does not start: ${text.slice(-2_000)}`);
    }
    await sleep(POLL_MS);
  }
};

const launch = async (folder: string, log: string, options: object): Promise<ChildProcess> => {
  const programs = await installPythonPackages('snowflake', join(SOURCES, 'requirements.txt'));
  const output = await open(log, 'w');
  const server = spawn(
    join(programs, 'python'),
    [join(SOURCES, 'server.py'), JSON.stringify(options)],
    {
      stdio: ['ignore', output.fd, output.fd],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', TMPDIR: folder },
    },
  );
  await once(server, 'spawn');
  await output.close();
  return server;
};

/**
 * Starts the stand-in on a free port of the loopback address; it keeps its data in memory.
 *
 * @param parent folder of the one that its files are in.
 * @throws Error with the end of the server's log when it does not start; no process is left running then.
 */
export const startSnowflake = async (parent = tmpdir()): Promise<LocalSnowflake> => {
  const folder = await mkdtemp(join(parent, 'penstock-snowflake-'));
  const log = join(folder, 'log');
  const [port = 0] = await freePorts(1);
  const login = { username: 'reader', password: randomBytes(12).toString('hex') };
  const place = { role: 'LOADER', warehouse: 'SMALL', database: 'CRM', schema: 'PUBLIC' };
  const server = await launch(folder, log, {
    port,
    users: { [login.username]: login.password },
    roles: [place.role],
    warehouses: [place.warehouse],
    database: place.database,
    schema: place.schema,
  });
  const callOff = watchOver(server.pid ?? 0, folder);
  const ended = once(server, 'exit');
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    await kill();
    callOff();
    await rm(folder, { recursive: true, force: true });
  };
  const ask = async (path: string, words: string, method: string): Promise<unknown> => {
    const query = new URLSearchParams({ words }).toString();
    const url = `http://127.0.0.1:${String(port)}/stand-in/${path}?${query}`;
    return (await fetch(url, { method })).json();
  };
  try {
    await untilReady(server, log, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ port, ...login, ...place, kill, stop },
    count: async (words) =>
      (await ask('running', words, 'GET')) as {
        readonly running: number;
        readonly sessions: number;
      },
    terminate: async (words) => {
      await ask('terminate', words, 'POST');
    },
  };
};
