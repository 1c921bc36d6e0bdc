import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnectors } from '../../connectors';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { BAD_PATHS, connected, contentOf, faultOf } from '../storage.fixture';
import { filesystemConnector } from './filesystem-connector';

const http = createGuardedHttp({ allow: [] });
const base = mkdtempSync(join(tmpdir(), 'penstock-root-'));
const root = join(base, 'root');
const storage = connected(filesystemConnector(root), {}, http);

beforeAll(() => {
  mkdirSync(join(root, 'in', 'deep'), { recursive: true });
  mkdirSync(join(base, 'root-beside'));
  for (const path of ['secret', 'root-beside/a.csv', 'root/a.csv', 'root/in/deep/ü 1.csv'])
    writeFileSync(join(base, path), `content of ${path}`);
  const link = (name: string, to: string): void => {
    symlinkSync(to, join(root, name));
  };
  link('inside.csv', 'in/deep/ü 1.csv');
  link('folder', 'in/deep');
  link('out.csv', '../secret');
  link('outside', '..');
  link('beside.csv', '../root-beside/a.csv');
  link('absolute.csv', join(base, 'secret'));
  link('twice.csv', 'out.csv');
  link('none.csv', 'nowhere');
  link('loop.csv', 'loop.csv');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  symlinkSync('root', join(base, 'linked-root'));
});
afterAll(async () => {
  rmSync(base, { recursive: true });
  await http.close();
});

it('is offered where the operator has named a root', () => {
  expect(createConnectors({}).get('filesystem')).toBeUndefined();
  expect(createConnectors({ filesRoot: root }).get('filesystem')).toMatchObject({
    type: 'FileStorage',
    asSource: { targets: ['User'] },
    asDestination: { targets: ['User'], sendingMode: 'Server' },
  });
});

it.each(['a.csv', '/a.csv', 'in/deep/ü 1.csv', 'inside.csv', 'folder/ü 1.csv'])(
  'reads %s',
  async (path) => {
    expect(await contentOf(await storage.open(path))).toMatch(/^content of root/);
  },
);

it('gives size, time and tag, which change with the file', async () => {
  const path = join(root, 'changing.csv');
  writeFileSync(path, 'one');
  const before = await storage.open('changing.csv');
  expect(before).toMatchObject({ size: 3, modifiedAt: statSync(path).mtime });
  await before.close();
  writeFileSync(path, 'three');
  const after = await storage.open('changing.csv');
  expect(after.size).toBe(5);
  expect(after.tag).not.toBe(before.tag);
  await after.close();
  await after.close();
});

it('reads below a root that is a link', async () => {
  const linked = connected(filesystemConnector(join(base, 'linked-root')), {}, http);
  expect(await contentOf(await linked.open('a.csv'))).toBe('content of root/a.csv');
});

it.each([
  ['out.csv', 'leads out of the root of the storage'],
  ['outside/secret', 'leads out of the root of the storage'],
  ['beside.csv', 'leads out of the root of the storage'],
  ['absolute.csv', 'leads out of the root of the storage'],
  ['twice.csv', 'leads out of the root of the storage'],
  ['in', 'is a folder'],
  ['folder', 'is a folder'],
  ['missing.csv', 'there is no such file'],
  ['none.csv', 'there is no such file'],
  ['a.csv/b', 'there is no such file'],
  ['loop.csv', 'leads to no file: its symbolic links form a loop'],
  ['pipe', 'is not a file'],
  ['x'.repeat(300), 'is too long for the file system'],
  ['in//deep', 'must not have empty steps'],
])('refuses %s: %s', async (path, message) => {
  expect(await faultOf(() => storage.open(path))).toEqual(['InvalidPath', message]);
});

it.each(BAD_PATHS)('refuses the path %j: %s', async (path, kind) => {
  expect((await faultOf(() => storage.open(path)))[0]).toBe(kind);
  expect((await faultOf(() => storage.absolutePath(path)))[0]).toBe(kind);
});

it('shows absolute paths, also of what is not there', () => {
  expect(storage.absolutePath('/in/x.csv')).toBe(join(root, 'in/x.csv'));
});

it('ends with its caller, and holds no file then', async () => {
  writeFileSync(join(root, 'large.csv'), Buffer.alloc(4_000_000));
  const controller = new AbortController();
  const own = connected(filesystemConnector(root), {}, http, controller.signal);
  const { bytes } = await own.open('large.csv');
  const reading = bytes[Symbol.asyncIterator]();
  await reading.next();
  controller.abort();
  const rest = async (): Promise<void> => {
    while ((await reading.next()).done !== true);
  };
  expect(await faultOf(rest)).toEqual(['Unavailable', 'reading was given up']);
});
