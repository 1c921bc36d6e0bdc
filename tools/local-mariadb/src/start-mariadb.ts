import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@penstock/local-kafka';
import { watchOver } from '@penstock/test-servers';
import { installMariadb, type MariadbFiles } from './install-mariadb';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Statements that make the tables of the server itself, in this order. */
const SYSTEM_TABLES = [
  'mysql_system_tables.sql',
  'mysql_performance_tables.sql',
  'mysql_system_tables_data.sql',
  'maria_add_gis_sp_bootstrap.sql',
];

/** How a server is started. */
export interface MariadbOptions {
  /** Certificate and key in PEM; absent: the server accepts no encrypted connections. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** More options of the server, such as `--max-connections=10`. */
  readonly options?: readonly string[];
}

/** A server that runs as a child of this process and ends with it, also after SIGKILL. */
export interface LocalMariadb {
  readonly port: number;
  /** May do everything; connects from 127.0.0.1. */
  readonly username: string;
  readonly password: string;
  /** An empty one. */
  readonly database: string;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again with its data, on the same port, after {@link kill}. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

const environment = ({ libraries }: MariadbFiles): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(':') }),
});

const common = ({ share }: MariadbFiles, folder: string): readonly string[] => [
  '--no-defaults',
  `--datadir=${join(folder, 'data')}`,
  `--lc-messages-dir=${share}`,
  `--character-sets-dir=${join(share, 'charsets')}`,
  '--innodb-use-native-aio=0',
  '--innodb-buffer-pool-size=64M',
  // What is committed outlives the server's own end, as users expect it to; only the machine's end may lose it.
  '--innodb-flush-log-at-trx-commit=2',
  // It does not run as root otherwise.
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
];

/** Makes the tables of the server itself. */
const bootstrap = async (files: MariadbFiles, folder: string): Promise<void> => {
  await mkdir(join(folder, 'data'));
  const server = spawn(files.server, [...common(files, folder), '--bootstrap'], {
    env: environment(files),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(server, 'exit');
  const before = 'CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n';
  async function* statements(): AsyncGenerator<string | Buffer> {
    yield before;
    for (const name of SYSTEM_TABLES) yield* createReadStream(join(files.share, name));
  }
  await pipeline(Readable.from(statements()), server.stdin);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`MariaDB made no data folder: exit ${String(code)}`);
};

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    // The server greets first.
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });

const tlsOptions = async (
  folder: string,
  tls: MariadbOptions['tls'],
): Promise<readonly string[]> => {
  if (tls === undefined) return ['--skip-ssl'];
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, tls.cert);
  await writeFile(key, tls.key);
  return [`--ssl-cert=${cert}`, `--ssl-key=${key}`];
};

interface Account {
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

const launch = async (
  files: MariadbFiles,
  folder: string,
  port: number,
  { username, password, database }: Account,
  { tls, options = [] }: MariadbOptions,
): Promise<ChildProcess> => {
  const init = join(folder, 'init.sql');
  await writeFile(
    init,
    `CREATE DATABASE IF NOT EXISTS ${database};\n` +
      `GRANT ALL ON *.* TO ${username}@'%' IDENTIFIED BY '${password}' WITH GRANT OPTION;\n`,
  );
  const server = spawn(
    files.server,
    [
      ...common(files, folder),
      `--port=${String(port)}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      '--skip-name-resolve',
      `--init-file=${init}`,
      `--log-error=${join(folder, 'log')}`,
      ...(await tlsOptions(folder, tls)),
      ...options,
    ],
    { env: environment(files), stdio: 'ignore' },
  );
  return server;
};

const untilReady = async (server: ChildProcess, folder: string, port: number): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
      throw new Error(`MariaDB does not start: ${log.slice(-2_000)}`);
    }
    await sleep(POLL_MS);
  }
};

/** A server that ends with this process. */
const watched = (server: ChildProcess, folder: string) => ({
  server,
  callOff: watchOver(server.pid ?? 0, folder),
  ended: once(server, 'exit'),
});

/**
 * Starts a real MariaDB on a free port of the loopback address, with data of its own in a temporary folder.
 *
 * @throws Error with the end of the server's log when it does not start; no process is left running then.
 */
export const startMariadb = async (options: MariadbOptions = {}): Promise<LocalMariadb> => {
  const files = await installMariadb();
  const folder = await mkdtemp(join(tmpdir(), 'penstock-mariadb-'));
  const account = {
    username: 'penstock',
    password: randomBytes(12).toString('hex'),
    database: 'crm',
  };
  await bootstrap(files, folder);
  const [port = 0] = await freePorts(1);
  let running = watched(await launch(files, folder, port, account, options), folder);
  const kill = async (): Promise<void> => {
    running.server.kill('SIGKILL');
    await running.ended;
  };
  const restart = async (): Promise<void> => {
    running.callOff();
    running = watched(await launch(files, folder, port, account, options), folder);
    await untilReady(running.server, folder, port);
  };
  const stop = async (): Promise<void> => {
    const { server, callOff } = running;
    if (server.exitCode === null && server.signalCode === null) await kill();
    callOff();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(running.server, folder, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, ...account, kill, restart, stop };
};
