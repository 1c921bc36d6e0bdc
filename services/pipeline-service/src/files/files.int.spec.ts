import { createConnectors, DummyStore } from '@penstock/connectors';
import type { ConnectionId, FileWanted, ReadFile, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, crc32, gzipSync } from 'node:zlib';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(90_000);

let installation: Installation;
let elsewhere: WorkspaceId;
let storage: ConnectionId;
const base = mkdtempSync(join(tmpdir(), 'penstock-files-'));
const root = join(base, 'root');
const spoolFolder = join(base, 'spool');

const ROWS = Array.from({ length: 500 }, (_, n) => `${String(n)},user ${String(n)}\n`).join('');
const CSV = `id,full name\n${ROWS}`;

beforeAll(async () => {
  mkdirSync(root);
  mkdirSync(spoolFolder);
  writeFileSync(join(root, 'users.csv'), CSV);
  writeFileSync(join(root, 'users.csv.gz'), gzipSync(CSV));
  writeFileSync(join(root, 'users.zip'), zipOf(CSV));
  writeFileSync(
    join(root, 'users.json'),
    '[{"id":12345678901234567890,"tags":["a",null]},{"id":2}]',
  );
  writeFileSync(join(root, 'bad.csv'), `id,name\n${'1\n'.repeat(500)}1,a\n`);
  writeFileSync(join(root, 'some-bad.csv'), 'id,name\n1\n2,b\n3,"x"y\n4,d\n');
  writeFileSync(join(root, 'long.csv'), `id,text\n${`1,${'x'.repeat(100_000)}\n`.repeat(30)}`);
  writeFileSync(
    join(root, 'names.csv'),
    `${Array.from({ length: 900 }, (_, n) => `${'n'.repeat(900)}${String(n)}`).join()}\n`,
  );
  writeFileSync(join(root, 'bomb.csv.gz'), gzipSync(Buffer.alloc(300_000_000, '\n')));
  writeFileSync(join(root, 'equal.csv'), 'a b,a-b\n');
  writeFileSync(join(base, 'secret.csv'), 'secret\n');
  symlinkSync('../secret.csv', join(root, 'link.csv'));
  installation = await Installation.open();
  const dummyStore = new DummyStore(installation.pool);
  const connectors = createConnectors({ dummyStore, filesRoot: root });
  await installation.start({ connectors, spoolFolder });
  elsewhere = await installation.bareWorkspace();
  storage = await installation.source({ connector: 'filesystem' });
});
afterAll(async () => {
  await installation.close();
  expect(readdirSync(spoolFolder)).toEqual([]);
  rmSync(base, { recursive: true });
});

const NAMED = '{"hasColumnNames":true}';
const file = (changes: Partial<ReadFile> = {}): ReadFile => ({
  connection: storage,
  path: 'users.csv',
  format: 'csv',
  compression: '',
  formatSettings: NAMED,
  sheet: null,
  limit: 3,
  withValues: true,
  ...changes,
});
const read = (changes: Partial<ReadFile> = {}, context = {}) =>
  installation.query('ReadFile', file(changes), context);
const sheets = (changes: Partial<FileWanted> = {}, context = {}) => {
  const { connection, path, format, compression, formatSettings } = file(changes);
  const wanted = { connection, path, format, compression, formatSettings };
  return installation.query('ListSheets', wanted, context);
};
const absolute = (path: string, connection: string = storage, context = {}) =>
  installation.query('GetAbsolutePath', { connection, path }, context);

/** A Zip file of one stored file. */
function zipOf(content: string): Buffer {
  const data = deflateRawSync(content);
  const name = Buffer.from('users.csv');
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(Buffer.byteLength(content), 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, data]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

describe('an excerpt', () => {
  it.each([
    ['users.csv', ''],
    ['users.csv.gz', 'Gzip'],
    ['users.zip', 'Zip'],
  ])('has the columns and the first records of %s', async (path, compression) => {
    const { records, schema, issues } = await read({ path, compression });
    expect(records).toEqual([
      '{"id":"0","full_name":"user 0"}',
      '{"id":"1","full_name":"user 1"}',
      '{"id":"2","full_name":"user 2"}',
    ]);
    expect(JSON.parse(schema)).toMatchObject({
      kind: 'object',
      properties: [
        { name: 'id', type: { kind: 'string' } },
        { name: 'full_name', type: { kind: 'string' } },
      ],
    });
    expect(issues).toEqual([]);
  });

  it('has only the columns with a limit of 0', async () => {
    expect(await read({ limit: 0 })).toMatchObject({ records: [], issues: [] });
  });

  it('keeps every digit', async () => {
    const properties = [{ name: 'id' }, { name: 'tags' }];
    const json = {
      path: 'users.json',
      format: 'json',
      formatSettings: JSON.stringify({ properties }),
    };
    expect((await read(json)).records).toEqual([
      '{"id":12345678901234567890,"tags":["a",null]}',
      '{"id":2}',
    ]);
    expect((await read({ ...json, withValues: false })).records).toEqual([
      '{"id":"••••","tags":["••••",null]}',
      '{"id":"••••"}',
    ]);
  });

  it('names records with an error, and goes on', async () => {
    expect(await read({ path: 'some-bad.csv', limit: 2 })).toMatchObject({
      records: ['{"id":"2","name":"b"}', '{"id":"4","name":"d"}'],
      issues: [
        'row 2: has 1 cell instead of 2',
        'row 4: has text behind the quote that ends cell 2',
      ],
    });
  });

  it('names a hundred records with an error, and reads no further', async () => {
    const { records, issues } = await read({ path: 'bad.csv' });
    expect(records).toEqual([]);
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toBe('1 more');
  });

  it('has as many records as fit into an answer', async () => {
    const { records, issues } = await read({ path: 'long.csv', limit: 30 });
    expect(records).toHaveLength(4);
    expect(issues).toEqual(['row 6 and those after it do not fit into an answer']);
  });

  it.each<[Partial<ReadFile>, string, object]>([
    [{ format: 'yaml' }, 'FormatNotExist', {}],
    [{ format: 'constructor' }, 'FormatNotExist', {}],
    [{ compression: 'gzip' }, 'BadRequest', { details: [{ path: '/compression' }] }],
    [{ sheet: 'Sheet1' }, 'BadRequest', { details: [{ path: '/sheet' }] }],
    [{ format: 'excel', formatSettings: '{}' }, 'BadRequest', { details: [{ path: '/sheet' }] }],
    [
      { format: 'excel', formatSettings: '{}', sheet: 'A' },
      'InvalidFile',
      { message: 'file cannot be read: is no Zip file, or is cut off or damaged' },
    ],
    [{ path: 'users.zip', format: 'excel', formatSettings: '{}', sheet: 'A' }, 'InvalidFile', {}],
    [
      { formatSettings: '{"separator":"ab","sep":";"}' },
      'InvalidSettings',
      { details: [{ path: '/formatSettings/separator' }, { path: '/formatSettings/sep' }] },
    ],
    [{ path: 'none.csv' }, 'InvalidPath', { message: 'path is not valid: there is no such file' }],
    [{ path: '../secret.csv' }, 'InvalidPath', {}],
    [{ path: 'link.csv' }, 'InvalidPath', {}],
    [{ path: '${today}.csv' }, 'InvalidPlaceholder', {}],
    [
      { compression: 'Gzip' },
      'InvalidFile',
      { message: 'file cannot be read: is not compressed with gzip' },
    ],
    [{ path: 'names.csv' }, 'InvalidFile', {}],
    [{ path: 'equal.csv' }, 'NoColumnsFound', {}],
    [{ path: 'bomb.csv.gz', compression: 'Gzip' }, 'InvalidFile', {}],
  ])('is refused: %j %s', async (changes, code, more) => {
    await expect(read(changes)).rejects.toMatchObject({ code, ...more });
  });
});

describe('sheets', () => {
  it('are none of a format without them', async () => {
    await expect(sheets()).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/format' }],
    });
    await expect(sheets({ format: 'yaml' })).rejects.toMatchObject({ code: 'FormatNotExist' });
  });
});

describe('an absolute path', () => {
  it('is shown, whether or not there is a file', async () => {
    expect(await absolute('in/none.csv')).toEqual({ path: join(root, 'in/none.csv') });
  });

  it.each([
    ['..', 'InvalidPath', /^path is not valid: /],
    ['${Now}', 'InvalidPlaceholder', /^placeholder does not exist: /],
  ])('of %s is refused: %s', async (path, code, message) => {
    await expect(absolute(path)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });
});

it.each([
  ['an excerpt', (connection: string, context?: object) => read({ connection }, context)],
  [
    'an absolute path',
    (connection: string, context?: object) => absolute('a', connection, context),
  ],
] as const)('there is not %s of what is no storage, or not there, or elsewhere', async (_, ask) => {
  const absent = { code: 'ConnectionNotExist', kind: 'absent' };
  await expect(ask('no\0')).rejects.toMatchObject(absent);
  await expect(ask(newId())).rejects.toMatchObject(absent);
  await expect(ask(storage, { workspace: elsewhere })).rejects.toMatchObject(absent);
  for (const other of [await installation.source(), await installation.destination()])
    await expect(ask(other)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/id' }],
    });
});

it('a storage is checked when its connection is created', async () => {
  const settings = installation.sealed({ host: 'a b', port: 0 });
  await expect(installation.source({ connector: 'http-get', settings })).rejects.toMatchObject({
    code: 'InvalidSettings',
    details: [{ path: '/settings/host' }, { path: '/settings/port' }],
  });
});

it('a storage that cannot be reached is answered with its reason', async () => {
  const settings = installation.sealed({ host: '127.0.0.1' });
  const connection = await installation.source({ connector: 'http-get', settings });
  await expect(read({ connection })).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    message: 'service is unavailable: the storage: address is not allowed by the egress rules',
  });
});
