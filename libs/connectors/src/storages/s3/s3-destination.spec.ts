import { LocalS3, type S3Fault, S3_KEYS } from '@penstock/local-storages';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { type Break, cut, patterned, storageConformance } from '../storage.conformance';
import { connected, faultOf } from '../storage.fixture';
import { s3Connector } from './s3-connector';
import { s3Destination } from './s3-destination';
import { partBytes, partsOf } from './s3-parts';

jest.setTimeout(60_000);

const MIB = 1_048_576;
/** Parts of this spec are small, and pauses short, so that it is fast. */
const PART = 200_000;
const PAUSES_MS = [5, 20];
const connector = { ...s3Connector, fileDestination: s3Destination(PART, PAUSES_MS) };
const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
let store: LocalS3;
let count = 0;

beforeAll(async () => {
  store = await LocalS3.start('exports', PART);
});
afterAll(async () => {
  await store.close();
  await http.close();
});
beforeEach(() => {
  store.fault = () => undefined;
  store.requests.length = 0;
});

const storage = (signal?: AbortSignal, more: object = {}) =>
  connected(
    connector,
    { ...S3_KEYS, bucket: 'exports', endpoint: store.endpoint, ...more },
    http,
    signal,
  );

/** Fails from the given request of each file on. */
const failing = (
  fault: S3Fault,
  isFailing: (method: string, part: string | null) => boolean,
): Break => ({
  begin: () => {
    store.fault = ({ method, query }) =>
      isFailing(method, query.get('partNumber')) ? fault : undefined;
  },
  end: () => {
    store.fault = () => undefined;
  },
  isCleanedUp: true,
});

storageConformance(() => ({
  storage,
  stored: (path) => Promise.resolve(store.objects.get(path)?.bytes),
  unfinished: () => Promise.resolve([...store.uploads.keys()]),
  tidy: () => Promise.resolve(),
  path: () => `out/ü ${String((count += 1))}.csv`,
  large: 3 * PART + 1_000,
  breaks: {
    'connections are cut': failing('cut', (method, part) => method === 'PUT' && part === '2'),
    'the store is broken': failing(503, (method, part) => method === 'PUT' && part === '3'),
    'the upload is not completed': failing(
      'error in 200',
      (method, part) => method === 'POST' && part === null && store.uploads.size > 0,
    ),
  },
}));

it('writes a small file at once, with its type', async () => {
  await storage().write('small.csv', cut(patterned(100, 1), 7));
  expect(store.requests.map(({ method, contentType }) => [method, contentType])).toEqual([
    ['PUT', 'text/csv'],
  ]);
});

it('repeats what the store was too busy for, and what had no answer', async () => {
  const faults = new Map<string | null, S3Fault[]>([
    [null, [503, 'cut']],
    ['1', [429, 'lost']],
  ]);
  store.fault = ({ query }) => faults.get(query.get('partNumber'))?.shift();
  const content = patterned(2 * PART + 5, 5);
  await storage().write('busy.csv', cut(content, 1_000));
  expect([...faults.values()]).toEqual([[], []]);
  expect(store.objects.get('busy.csv')?.bytes.equals(content)).toBe(true);
  expect(store.uploads.size).toBe(0);
});

it('does not say that an upload is complete when the answer was lost', async () => {
  const faults: S3Fault[] = ['lost'];
  store.fault = ({ method, query }) =>
    method === 'POST' && query.has('uploadId') ? faults.shift() : undefined;
  expect(
    await faultOf(() => storage().write('lost.csv', cut(patterned(2 * PART, 6), 9_000))),
  ).toEqual(['Unavailable', 'does not know the upload any more, which may be complete']);
});

const FORBIDDEN =
  'answered 403: the server refuses access; check the credentials of the connection';

it.each([
  [{ secretAccessKey: 'x'.repeat(40) }, 'Refused', FORBIDDEN],
  [{ bucket: 'others' }, 'InvalidPath', 'there is no such file, or no such bucket'],
])('refuses %j', async (more, ...fault) => {
  for (const size of [10, 2 * PART])
    expect(
      await faultOf(() => storage(undefined, more).write('a.csv', cut(patterned(size, 1), 9_000))),
    ).toEqual(fault);
});

it('takes a key of 1,024 bytes, and no longer one', async () => {
  await storage().write('k'.repeat(1_024), cut(patterned(1, 1), 1));
  expect((await faultOf(() => storage().write('ü'.repeat(513), cut(patterned(1, 1), 1))))[0]).toBe(
    'InvalidPath',
  );
});

it('has parts whose sizes let a file be large, and memory small', async () => {
  expect([1, 1_000, 1_001, 10_000].map((number) => partBytes(number) / MIB)).toEqual([
    8, 8, 16, 80,
  ]);
  const limit = 10_000;
  const total = Array.from({ length: limit }, (_, n) => partBytes(n + 1, 1)).reduce(
    (a, b) => a + b,
  );
  const partsIn = async (length: number) => {
    const parts = [];
    for await (const part of partsOf(cut(patterned(length, 1), 1_000), 1)) parts.push(part);
    return parts;
  };
  const parts = await partsIn(total);
  expect(parts.map(({ number }) => number)).toEqual(Array.from({ length: limit }, (_, n) => n + 1));
  expect(Buffer.concat(parts.map((part) => part.bytes)).equals(patterned(total, 1))).toBe(true);
  expect(parts.filter(({ isLast }) => isLast)).toHaveLength(1);
  expect(await faultOf(() => partsIn(total + 1))).toEqual([
    'Unavailable',
    'is too large to be written to a bucket',
  ]);
});
