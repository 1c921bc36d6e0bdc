import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Locations } from './locations';
import { mmdbFile, type MmdbNetwork, type MmdbOptions } from './mmdb.fixture';

const PALO_ALTO = {
  city: { names: { en: 'Palo Alto', de: 'Palo Alto' } },
  country: { names: { en: 'United States', de: 'USA' }, iso_code: 'US' },
  location: { latitude: 37.4419, longitude: -122.143 },
};

const NETWORKS: readonly MmdbNetwork[] = [
  { address: [8, 8, 0, 0], prefix: 16, value: PALO_ALTO },
  { address: [9, 9, 9, 9], prefix: 32, value: { country: { names: { en: 'Åland' } } } },
  {
    address: [10, 1, 0, 0],
    prefix: 16,
    value: { city: { names: { de: 'Köln' } }, location: { latitude: -0, longitude: Number.NaN } },
  },
  { address: [10, 2, 0, 0], prefix: 16, value: { city: { names: { en: 'a\0b' } }, country: 'x' } },
  {
    address: [0x20, 1, 0x0d, 0xb8, ...new Array<number>(12).fill(0)],
    prefix: 32,
    value: { city: { names: { en: 'Zürich' } } },
  },
];

let folder: string;
const logger = { warn: jest.fn() };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-locations-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => logger.warn.mockClear());

const fileOf = async (content: Buffer): Promise<string> => {
  const file = join(folder, 'city.mmdb');
  await writeFile(file, content);
  return file;
};

const opened = async (content: Buffer): Promise<Locations> =>
  Locations.open(await fileOf(content), logger);
const database = (options?: MmdbOptions, networks = NETWORKS): Promise<Locations> =>
  opened(mmdbFile(networks, options));

const USA = {
  city: '"Palo Alto"',
  country: '"United States"',
  latitude: '37.4419',
  longitude: '-122.143',
};

it.each<[address: string, location: object]>([
  ['8.8.0.0', USA],
  ['8.8.255.255', USA],
  ['8.7.255.255', {}],
  ['8.9.0.0', {}],
  ['9.9.9.9', { country: '"Åland"' }],
  ['9.9.9.8', {}],
  ['10.1.2.3', { latitude: '0' }],
  ['10.2.2.3', {}],
  ['127.0.0.1', {}],
  ['2001:db8::1', { city: '"Zürich"' }],
  ['2001:db9::1', {}],
])('finds for %s %j', async (address, location) => {
  const locations = await database();
  const [first, second] = [locations.of(`"${address}"`), locations.of(`"${address}"`)];
  expect(first).toEqual(location);
  expect(second).toBe(first);
});

it('finds no IPv6 address in a database of IPv4', async () => {
  const locations = await database({ ipVersion: 4 }, NETWORKS.slice(0, 1));
  expect(locations.of('"8.8.1.1"')).toEqual(USA);
  expect(locations.of('"808:1::"')).toEqual({});
});

it('is not affected when the file is replaced', async () => {
  const locations = await database();
  await fileOf(Buffer.alloc(10));
  expect(locations.of('"8.8.1.1"')).toEqual(USA);
});

it('caches a bounded number of addresses', async () => {
  const locations = await database();
  const nth = (n: number) => locations.of(`"8.8.${String(n >> 8)}.${String(n & 255)}"`);
  const first = nth(0);
  for (let n = 1; n < 20_001; n += 1) nth(n);
  expect(nth(0)).toBe(first);
  for (let n = 20_001; n < 65_536; n += 1) nth(n);
  expect(nth(0)).not.toBe(first);
});

it('logs once that the file is damaged', async () => {
  const content = mmdbFile(NETWORKS);
  content.fill(0xff, content.indexOf('Palo Alto') - 20, content.indexOf('Palo Alto') + 30);
  const locations = await opened(content);
  expect([locations.of('"8.8.1.1"'), locations.of('"8.8.1.2"')]).toEqual([{}, {}]);
  expect(locations.of('"9.9.9.9"')).toEqual({ country: '"Åland"' });
  expect(logger.warn).toHaveBeenCalledTimes(1);
});

describe('refuses to open', () => {
  const refusalOf = (opening: Promise<unknown>) =>
    opening.then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
  const READABLE = 'bad configuration: PENSTOCK_GEOIP must name a readable file';
  const COMPLETE = 'bad configuration: PENSTOCK_GEOIP must name a complete MaxMind database file';
  const complete = mmdbFile(NETWORKS);

  it.each([
    ['no file', () => Locations.open(join(folder, 'nothing.mmdb'), logger), READABLE],
    ['a folder', () => Locations.open(folder, logger), READABLE],
    ['an empty file', () => opened(Buffer.alloc(0)), COMPLETE],
    ['another file', () => opened(Buffer.from('city,country\n'.repeat(1_000))), COMPLETE],
    ['the beginning of one', () => opened(complete.subarray(0, complete.length - 100)), COMPLETE],
    ['the end of one', () => opened(complete.subarray(complete.length - 300)), COMPLETE],
    ['a later format', () => database({ formatVersion: 3 }), COMPLETE],
    [
      'a database of networks',
      () => database({ type: 'GeoLite2-ASN' }),
      'bad configuration: PENSTOCK_GEOIP must name a database of cities, not GeoLite2-ASN',
    ],
  ])('%s', async (_, opening, message) => {
    expect(await refusalOf(opening())).toBe(message);
  });

  it.each(['GeoIP2-City-Europe', 'GeoIP2-Enterprise', 'DBIP-City-Lite'])(
    'finds nothing for %s',
    async (type) => {
      expect((await database({ type })).of('"8.8.1.1"')).toEqual(USA);
    },
  );
});
