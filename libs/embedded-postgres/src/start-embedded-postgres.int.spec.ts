import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { EmbeddedPostgresError } from './embedded-postgres-error';
import { identify } from './process-identity';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres';

const run = promisify(execFile);

const CHILD = join(__dirname, '../test/start-in-child.js');

jest.setTimeout(120_000);

/** What a first start and its stop leave: making it takes most of a test. */
let begun: string;
let dataDir: string;
let servers: EmbeddedPostgres[];
let children: ChildProcess[];

beforeAll(async () => {
  begun = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  await (await startEmbeddedPostgres({ dataDir: begun })).stop();
});
afterAll(() => rm(begun, { recursive: true, force: true }));

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  await run('cp', ['-a', `${begun}/.`, dataDir]);
  servers = [];
  children = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const child of children.filter(
    ({ exitCode, signalCode }) => (exitCode ?? signalCode) === null,
  )) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (port?: number): Promise<EmbeddedPostgres> => {
  const server = await startEmbeddedPostgres({ dataDir, ...(port === undefined ? {} : { port }) });
  servers.push(server);
  return server;
};

const startInChild = async (): Promise<{ child: ChildProcess; pid: number; url: string }> => {
  const child = spawn(process.execPath, [CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, ...(JSON.parse(line) as { pid: number; url: string }) };
};

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

const remember = (url: string) =>
  query(url, "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('kept')");

const recall = (url: string) => query(url, 'SELECT word FROM kept');

const setting = async (url: string, name: string): Promise<unknown> =>
  Object.values((await query(url, `SHOW ${name}`))[0] as object)[0];

describe('a start', () => {
  it('keeps the data of the previous start', async () => {
    const first = await start();
    await remember(first.url);
    await first.stop();

    const second = await start();

    expect(await recall(second.url)).toEqual([{ word: 'kept' }]);
    expect(second.adopted).toBe(false);
  });

  it('creates a durable UTF-8 database with checksums, for loopback connections with a password', async () => {
    await rm(dataDir, { recursive: true });
    const { url } = await start();
    const names = ['server_encoding', 'data_checksums', 'fsync', 'listen_addresses'];
    const settings = await Promise.all(names.map((name) => setting(url, name)));
    expect(settings).toEqual(['UTF8', 'on', 'on', '127.0.0.1']);
    for (const way of [url, url.replace(/\?.*/, '')])
      await expect(query(way.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
        'password authentication failed',
      );
  });

  it('accepts connections through a socket that only its owner can use, and through its port', async () => {
    const { url, port } = await start();
    const network = 'SELECT inet_server_port() AS port';
    expect(await query(url, network)).toEqual([{ port: null }]);
    expect(await query(url.replace(/\?.*/, ''), network)).toEqual([{ port }]);
    expect((await stat(join(dataDir, `postgres/.s.PGSQL.${port}`))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['by its socket where the path has 103 bytes', 103, true],
    ['by its port where the path has 104 bytes', 104, false],
  ])('is reached %s', async (_, bytes, isBySocket) => {
    await rm(dataDir, { recursive: true });
    const rest = bytes - Buffer.byteLength(join(tmpdir(), '123456/postgres/.s.PGSQL.12345'));
    dataDir = await mkdtemp(join(tmpdir(), 'x'.repeat(rest)));
    const { url } = await start();
    expect(await query(url, 'SELECT inet_server_port() IS NULL AS socket')).toEqual([
      { socket: isBySocket },
    ]);
  });

  it('accepts connections through its port where no socket can be created', async () => {
    const first = await start();
    await first.stop();
    await mkdir(join(dataDir, `postgres/.s.PGSQL.${first.port}/taken`), { recursive: true });
    const { url, port } = await start(first.port);
    expect(port).toBe(first.port);
    expect(await query(url, 'SELECT inet_server_port() AS port')).toEqual([{ port }]);
  });

  it('removes the sockets of servers that were killed', async () => {
    await (await start()).stop();
    const cluster = join(dataDir, 'postgres');
    for (const name of ['.s.PGSQL.1', '.s.PGSQL.1.lock']) await writeFile(join(cluster, name), '');
    const { port } = await start();
    const sockets = (await readdir(cluster)).filter((name) => name.startsWith('.s.PGSQL.'));
    expect(sockets.sort()).toEqual([`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]);
  });

  it('keeps the password in a file that only the database user can read', async () => {
    const { url } = await start();
    const file = await stat(join(dataDir, 'postgres/penstock.password'));
    expect(file.mode & 0o777).toBe(0o600);
    expect(file.uid).toBe((await stat(join(dataDir, 'postgres'))).uid);
    expect(url).toContain(await readFile(join(dataDir, 'postgres/penstock.password'), 'utf8'));
  });

  it('listens on the configured port, and names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    try {
      await expect(start(port)).rejects.toMatchObject({ code: 'PortInUse' });
    } finally {
      other.close();
      await once(other, 'close');
    }
    expect((await start(port)).port).toBe(port);
  });

  it('runs the server in a process group of its own, which Ctrl-C does not reach', async () => {
    const { pid } = await start();
    const { stdout } = await run('ps', ['-o', 'pgid=', '-p', `${pid}`]);
    expect(Number(stdout)).toBe(pid);
  });

  it('adopts through another path to the same folder', async () => {
    const { child, pid } = await startInChild();
    await kill(child);
    const alias = `${dataDir}-alias`;
    await symlink(dataDir, alias);
    try {
      const server = await startEmbeddedPostgres({ dataDir: alias });
      servers.push(server);
      expect(server).toMatchObject({ adopted: true, pid });
    } finally {
      await unlink(alias);
    }
  });

  it('refuses a folder of another major version', async () => {
    await (await start()).stop();
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n');
    await expect(start()).rejects.toMatchObject({
      code: 'OtherMajorVersion',
      message: expect.stringContaining('PostgreSQL 17') as string,
    });
  });
});

describe('a server that outlived the kill of its parent', () => {
  it('is adopted with its data, and stopped for good', async () => {
    const { child, pid, url } = await startInChild();
    await remember(url);
    await kill(child);

    const adopted = await start();

    expect(adopted).toMatchObject({ adopted: true, pid, url });
    expect(await recall(adopted.url)).toEqual([{ word: 'kept' }]);
    await adopted.stop();
    expect(await identify(pid)).toBeUndefined();
  });
});

describe('two starts at once', () => {
  it('refuse the second and name the process that holds the folder', async () => {
    const { child } = await startInChild();
    await expect(start()).rejects.toMatchObject({
      code: 'FolderInUse',
      message: expect.stringMatching(new RegExp(`${dataDir}.*process ${child.pid}`)) as string,
    });
  });

  it('let exactly one of many win, and make its data', async () => {
    await rm(dataDir, { recursive: true });
    const outcomes = await Promise.allSettled([start(), start(), start()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });
});

describe('a stale postmaster file', () => {
  const postmasterFile = () => join(dataDir, 'postgres/postmaster.pid');

  const leave = async (pid: number): Promise<void> => {
    await writeFile(
      postmasterFile(),
      `${pid}\n${dataDir}/postgres\n1\n5432\n\n127.0.0.1\n1 1\nready   \n`,
    );
  };

  it('of a killed server does not stop the next start, and no commit is lost', async () => {
    const { url, pid } = await start();
    await remember(url);
    process.kill(pid, 'SIGKILL');

    await unlink(join(dataDir, 'penstock.lock'));
    const next = await start();

    expect(await recall(next.url)).toEqual([{ word: 'kept' }]);
    expect(next.pid).not.toBe(pid);
  });

  it.each([
    ['a pid that is gone', 2 ** 22 - 1],
    ['a pid that another program has', process.pid],
  ])('with %s does not stop the next start', async (_, pid) => {
    await (await start()).stop();
    await leave(pid);
    expect((await start()).adopted).toBe(false);
  });
});

/** The time limit of the test ends it. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(50);
};

describe('a server that is watched', () => {
  it('is started again on its port when it is killed, and is given up the third time', async () => {
    const notices: string[] = [];
    const lost: EmbeddedPostgresError[] = [];
    const server = await startEmbeddedPostgres({
      dataDir,
      notice: (text) => notices.push(text),
      onLost: (error) => lost.push(error),
    });
    servers.push(server);
    await remember(server.url);
    for (let times = 1; times <= 2; times += 1) {
      const { pid } = server;
      process.kill(pid, 'SIGKILL');
      await until(() => server.pid !== pid);
      expect(await recall(server.url)).toEqual([{ word: 'kept' }]);
      expect(notices).toHaveLength(times);
      expect(notices[times - 1]).toContain(`process ${String(pid)} has ended`);
    }
    expect(lost).toEqual([]);
    process.kill(server.pid, 'SIGKILL');
    await until(() => lost.length > 0);
    expect(lost[0]!.message).toContain('has ended 3 times within ten minutes');
    expect(notices).toHaveLength(2);
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow();
    await server.stop();
    expect((await start()).adopted).toBe(false);
  });
});
