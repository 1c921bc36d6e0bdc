import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { borrowServer } from './borrow-server';
import { fastFolder } from './fast-folder';
import { watchOver } from './watchdog';

const START_TIMEOUT_MS = 60_000;

/** What is committed outlives the server's own end, and need not outlive the machine's. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'unix_socket_directories=', 'timezone=UTC'];

/** Who the server runs as when this process is root's, which PostgreSQL refuses. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const packageRoot = (): string | undefined => {
  try {
    const name = `postgresql-13-${process.platform}-${process.arch}`;
    return dirname(dirname(require.resolve(name)));
  } catch {
    return undefined;
  }
};

/** npm packages cannot contain links; the install script that makes them may have been off. */
const linkLibraries = async (root: string): Promise<void> => {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    if (!existsSync(join(root, target))) await symlink(basename(source), join(root, target));
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const untilItAnswers = async (url: string): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await setTimeout(50);
    }
  }
};

/** A session may have ended by itself since it was listed. */
const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const sessionsOf = async (pid: number): Promise<readonly number[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
};

/** A PostgreSQL 13 for one spec, which may kill it. */
export interface OldPostgres {
  /** Of its superuser. */
  readonly url: string;
  /** Kills it as the system would that is out of memory, and starts it again on the same port. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL 13, the oldest that a warehouse may be on, in a temporary folder. It ends with this process.
 *
 * @returns undefined on platforms for which npm has none.
 */
export const startOldPostgres = async (): Promise<OldPostgres | undefined> => {
  const root = packageRoot();
  if (root === undefined) return undefined;
  await linkLibraries(root);
  const account = process.geteuid?.() === 0 ? NOBODY : {};
  const dataDir = await mkdtemp(join(await fastFolder(), 'penstock-postgres-13-'));
  await chmod(dataDir, 0o700);
  if (process.geteuid?.() === 0) await chown(dataDir, NOBODY.uid, NOBODY.gid);
  const initdb = [
    '-D',
    dataDir,
    '-U',
    'penstock',
    '--auth=trust',
    '-E',
    'UTF8',
    '--locale=C',
    '-N',
  ];
  const options = { ...account, cwd: '/' };
  await promisify(execFile)(join(root, 'native', 'bin', 'initdb'), initdb, options);
  const port = await freePort();
  const settings = [...SETTINGS, `port=${port}`];
  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      join(root, 'native', 'bin', 'postgres'),
      ['-D', dataDir, ...settings.flatMap((each) => ['-c', each])],
      { ...options, stdio: 'ignore' },
    );
    await once(server, 'spawn');
    return server;
  };
  const url = `postgres://penstock@127.0.0.1:${port}/postgres`;
  let server = await launch();
  let callOff = watchOver(server.pid ?? 0, dataDir);
  await untilItAnswers(url);
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
    callOff();
  };
  return {
    url,
    killAndRestart: async () => {
      // Its sessions would end what they are doing. It is frozen before, so that none ends and none begins meanwhile.
      server.kill('SIGSTOP');
      for (const session of await sessionsOf(server.pid ?? 0)) killIfThere(session);
      await end('SIGKILL');
      do {
        // Until its last sessions have ended, the folder is in use.
        server = await launch();
        await Promise.race([untilItAnswers(url), once(server, 'exit')]);
      } while (server.exitCode !== null);
      callOff = watchOver(server.pid ?? 0, dataDir);
    },
    stop: async () => {
      await end('SIGINT');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/**
 * Returns the URL of the PostgreSQL 13 that all specs of a run share: each makes databases of its own, and none kills it.
 *
 * @returns undefined on platforms for which npm has none.
 */
export const sharedOldPostgres = async (): Promise<string | undefined> => {
  const server = await borrowServer<Pick<OldPostgres, 'url'> | null>({
    name: 'PostgreSQL 13',
    module: __filename,
    start: 'startOldPostgres',
    options: {},
  });
  return server?.url;
};
