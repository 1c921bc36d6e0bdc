import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { cut, patterned, storageConformance } from '../storage.conformance';
import { connected, faultOf } from '../storage.fixture';
import { unfinishedPrefix } from '../temporary-name';
import { filesystemConnector } from './filesystem-connector';

jest.setTimeout(60_000);

const http = createGuardedHttp({ allow: [] });
const base = mkdtempSync(join(tmpdir(), 'penstock-written-'));
const root = join(base, 'root');
let count = 0;

beforeAll(() => {
  mkdirSync(join(root, 'out'), { recursive: true });
  mkdirSync(join(base, 'root-beside'));
});
afterAll(async () => {
  rmSync(base, { recursive: true });
  await http.close();
});

const storage = (signal?: AbortSignal) => connected(filesystemConnector(root), {}, http, signal);
const contentAt = (path: string): Buffer | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path)) : undefined;
const unfinished = (): string[] =>
  readdirSync(join(root, 'out')).filter((name) => name.startsWith('.penstock'));

/** The process itself, of which specs are given a copy. Whoever does not listen to this signal ends with it. */
const real = runInThisContext('process') as NodeJS.Process;
const ignored = (): void => undefined;

/** Bounds the size of the files that this process writes. What is beyond fails, as on a full disk. */
const limitFiles = (bytes: string): void => {
  real.removeListener('SIGXFSZ', ignored).on('SIGXFSZ', ignored);
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
};

storageConformance(() => ({
  storage,
  stored: (path) => Promise.resolve(contentAt(path)),
  unfinished: () => Promise.resolve(unfinished()),
  tidy: () => Promise.resolve(),
  path: () => `out/${String((count += 1))}.csv`,
  large: 1_500_000,
  breaks:
    process.platform === 'linux'
      ? {
          'no space': {
            begin: () => {
              limitFiles('700000');
            },
            end: () => {
              limitFiles('unlimited');
            },
            isCleanedUp: true,
          },
        }
      : {},
}));

const bytes = () => cut(Buffer.from('new'), 2);

it.each([
  ['outside/new.csv', 'leads out of the root of the storage'],
  ['beside/new.csv', 'leads out of the root of the storage'],
  ['out.csv', 'leads out of the root of the storage'],
  ['none.csv', 'there is no such folder'],
  ['loop.csv', 'leads to no file: its symbolic links form a loop'],
  ['out', 'is a folder'],
  ['folder', 'is a folder'],
  ['pipe', 'is not a file'],
  ['missing/new.csv', 'there is no such folder'],
  ['inside.csv/new.csv', 'there is no such folder'],
  ['x'.repeat(300), 'is too long for the file system'],
])('refuses to write %s: %s', async (path, message) => {
  const link = (name: string, to: string): void => {
    rmSync(join(root, name), { force: true });
    symlinkSync(to, join(root, name));
  };
  writeFileSync(join(base, 'secret'), 'secret');
  writeFileSync(join(root, 'real.csv'), 'old');
  link('outside', '..');
  link('beside', '../root-beside');
  link('out.csv', '../secret');
  link('none.csv', '../nowhere');
  link('loop.csv', 'loop.csv');
  link('folder', 'out');
  link('inside.csv', 'real.csv');
  if (!existsSync(join(root, 'pipe'))) execFileSync('mkfifo', [join(root, 'pipe')]);
  expect(await faultOf(() => storage().write(path, bytes()))).toEqual(['InvalidPath', message]);
  expect(readFileSync(join(base, 'secret'), 'utf8')).toBe('secret');
  expect(readdirSync(join(base, 'root-beside'))).toEqual([]);
  expect(existsSync(join(base, 'nowhere'))).toBe(false);
});

it('follows a link that stays below the root, and leaves it in place', async () => {
  writeFileSync(join(root, 'target.csv'), 'old');
  symlinkSync('target.csv', join(root, 'stays.csv'));
  await storage().write('stays.csv', bytes());
  expect(lstatSync(join(root, 'stays.csv')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, 'target.csv'), 'utf8')).toBe('new');
});

it('writes a file whose name is as long as names can be', async () => {
  const path = `out/${'n'.repeat(255)}`;
  await storage().write(path, bytes());
  expect(contentAt(path)).toEqual(Buffer.from('new'));
});

it('removes what a killed process has left of the same file an hour ago, and nothing else', async () => {
  const place = (name: string, ageMinutes: number): string => {
    const path = join(root, 'out', name);
    writeFileSync(path, 'part');
    const at = new Date(Date.now() - ageMinutes * 60_000);
    utimesSync(path, at, at);
    return path;
  };
  const old = place(`${unfinishedPrefix('a.csv')}1.part`, 61);
  const fresh = place(`${unfinishedPrefix('a.csv')}2.part`, 59);
  const other = place(`${unfinishedPrefix('b.csv')}3.part`, 61);
  await storage().write('out/a.csv', cut(patterned(10, 1), 10));
  expect([old, fresh, other].map((path) => existsSync(path))).toEqual([false, true, true]);
  rmSync(fresh);
  rmSync(other);
});

it('leaves what is there when it is given up while the file is brought to disk', async () => {
  writeFileSync(join(root, 'out', 'kept.csv'), 'old');
  const control = new AbortController();
  const given = async function* () {
    yield* bytes();
    // All bytes are there by then, and the disk has not answered yet.
    setImmediate(() => {
      control.abort();
    });
  };
  const fault = await faultOf(() => storage(control.signal).write('out/kept.csv', given()));
  expect(fault).toEqual(['Unavailable', 'writing was given up']);
  expect(readFileSync(join(root, 'out', 'kept.csv'), 'utf8')).toBe('old');
  expect(unfinished()).toEqual([]);
});
