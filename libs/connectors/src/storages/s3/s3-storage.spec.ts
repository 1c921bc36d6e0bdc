import { maskSettings } from '../../connector/mask-settings';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { answer, type HttpStub } from '../../http-stub.fixture';
import { badPaths } from '../../settings-table.fixture';
import { parseJson, writeJson } from '@penstock/schema';
import { BAD_PATHS, connected, contentOf, faultOf } from '../storage.fixture';
import { s3Connector } from './s3-connector';
import { KEY_ID, REGION, s3Stub, SECRET } from './s3-stub.fixture';

const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
const objects = new Map([
  ['/exports/users.csv', 'users'],
  ['/exports/a%20b%2Bc/%C3%BC%21%27%28%29%2A%3F%23%25~.csv', 'special'],
  ['/exports//double//slash', 'slashes'],
  ['/prefix/exports/users.csv', 'prefixed'],
]);
let stub: HttpStub;

beforeAll(async () => {
  stub = await s3Stub(objects);
});
afterAll(async () => {
  await stub.close();
  await http.close();
});

const KEYS = { accessKeyID: KEY_ID, secretAccessKey: SECRET, region: REGION, bucket: 'exports' };
const storage = (more: object = {}, way = http) =>
  connected(s3Connector, { ...KEYS, endpoint: stub.origin, ...more }, way);

it.each([
  ['users.csv', 'users'],
  ["a b+c/ü!'()*?#%~.csv", 'special'],
  ['/double//slash', 'slashes'],
])('reads the object %s with a signature', async (path, content) => {
  const file = await storage().open(path);
  expect(file).toMatchObject({
    tag: '"etag-1"',
    modifiedAt: new Date('2026-10-21T07:28:00Z'),
  });
  expect(await contentOf(file)).toBe(content);
});

it('reads below an endpoint with a path', async () => {
  const file = await storage({ endpoint: `${stub.origin}/prefix/` }).open('users.csv');
  expect(await contentOf(file)).toBe('prefixed');
});

const FORBIDDEN =
  'answered 403: the server refuses access; check the credentials of the connection';

it.each([
  [{}, 'missing.csv', 'InvalidPath', 'there is no such file, or no such bucket'],
  [{ secretAccessKey: 'x'.repeat(40) }, 'users.csv', 'Refused', FORBIDDEN],
  [{ region: 'us-east-1' }, 'users.csv', 'Refused', FORBIDDEN],
])('refuses %j %s', async (more, path, ...fault) => {
  expect(await faultOf(() => storage(more).open(path))).toEqual(fault);
});

it('names the region of a bucket that is elsewhere', async () => {
  stub.next(answer(400, '', { 'x-amz-bucket-region': 'us-west-2' }));
  expect(await faultOf(() => storage().open('users.csv'))).toEqual([
    'Refused',
    'answered 400: the bucket is in the region us-west-2',
  ]);
});

it('connects to nothing that the operator did not allow', async () => {
  const guarded = createGuardedHttp({ allow: [] });
  const before = stub.connections;
  const [kind, message] = await faultOf(() => storage({}, guarded).open('users.csv'));
  expect([kind, message]).toEqual(['Refused', expect.stringMatching(/egress rules/)]);
  expect(stub.connections).toBe(before);
  await guarded.close();
});

it.each(BAD_PATHS)('refuses the path %j: %s', async (path, kind) => {
  expect((await faultOf(() => storage().open(path)))[0]).toBe(kind);
  expect((await faultOf(() => storage().absolutePath(path)))[0]).toBe(kind);
});

it('takes keys of 1,024 bytes', async () => {
  expect(storage().absolutePath('ü'.repeat(512))).toBe(`s3://exports/${'ü'.repeat(512)}`);
  expect(await faultOf(() => storage().absolutePath('ü'.repeat(513)))).toEqual([
    'InvalidPath',
    'must be at most 1024 bytes long',
  ]);
});

it.each([
  [{}, 'https://exports.s3.eu-central-1.amazonaws.com/a.csv'],
  [{ forcePathStyle: true }, 'https://s3.eu-central-1.amazonaws.com/exports/a.csv'],
  [{ endpoint: 'https://store.example/x' }, 'https://store.example/x/exports/a.csv'],
  [
    { endpoint: 'http://store.example:9000', forcePathStyle: false },
    'http://exports.store.example:9000/a.csv',
  ],
])('asks for the bucket at the place of the settings: %j', async (more, url) => {
  const asked: string[] = [];
  const recording = createGuardedHttp({
    allow: [],
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve([]);
    },
  });
  await faultOf(() => connected(s3Connector, { ...KEYS, ...more }, recording).open('a.csv'));
  expect(asked).toEqual([new URL(url).hostname]);
  await recording.close();
});

it('masks the secret', () => {
  const settings = s3Connector.checkSettings(parseJson(JSON.stringify(KEYS)), 'Source');
  const shown = writeJson(maskSettings(s3Connector, settings));
  expect(shown).toContain('••••EKEY');
  expect(shown).not.toContain(SECRET);
});

const x = (length: number): string => 'x'.repeat(length);

it.each<[object, string[]]>([
  [{}, []],
  [{ endpoint: 'http://localhost:9000', forcePathStyle: false }, []],
  [{ accessKeyID: x(16), secretAccessKey: x(16), bucket: x(3) }, []],
  [{ accessKeyID: x(128), secretAccessKey: x(200), bucket: x(63) }, []],
  [
    { accessKeyID: x(15), secretAccessKey: x(15), bucket: x(2) },
    ['/accessKeyID', '/secretAccessKey', '/bucket'],
  ],
  [
    { accessKeyID: x(129), secretAccessKey: x(201), bucket: x(64) },
    ['/accessKeyID', '/secretAccessKey', '/bucket'],
  ],
  [{ bucket: 'a/b' }, ['/bucket']],
  [{ bucket: '..a' }, ['/bucket']],
  [{ region: 'eu central' }, ['/region']],
  [{ endpoint: 'ftp://a' }, ['/endpoint']],
  [{ endpoint: 'https://u:p@a' }, ['/endpoint']],
  [{ forcePathStyle: 'yes', prefix: 'a' }, ['/forcePathStyle', '/prefix']],
])('checks the settings %j', (more, paths) => {
  expect(badPaths(s3Connector, { ...KEYS, ...more })).toEqual(paths);
});
