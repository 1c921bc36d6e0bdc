import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAcceptedEvent, TOPIC } from '@penstock/contracts';
import { GatewayStand } from '../../testing/gateway.fixture';
import { send } from '../../testing/http.fixture';
import { organization, source, workspace } from '../../testing/installation.fixture';
import { mmdbFile } from './mmdb.fixture';

const stand = new GatewayStand();
const server = source('nodejs');
const browser = source('javascript');
let folder: string;

const LYON = {
  city: { names: { en: 'Lyon' } },
  country: { names: { en: 'France' } },
  location: { latitude: 45.75, longitude: 4.85 },
};

const configured = (file: string) => ({
  config: {
    PENSTOCK_HOST: '127.0.0.1',
    PENSTOCK_PORT: 0,
    PENSTOCK_TRUSTED_PROXIES: ['127.0.0.0/8'],
    PENSTOCK_GEOIP: join(folder, file),
  },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-located-'));
  await writeFile(
    join(folder, 'city.mmdb'),
    mmdbFile([{ address: [5, 6, 0, 0], prefix: 16, value: LYON }]),
  );
  await stand.configure(organization(), workspace(), server.state, browser.state);
  await stand.start(configured('city.mmdb'));
});
afterAll(async () => {
  await stand.stop();
  await rm(folder, { recursive: true });
});

const contextOf = async (key: string, context: string): Promise<unknown> => {
  const body = `{"type":"page","userId":"u","context":{${context}}}`;
  const headers = { Authorization: `Bearer ${key}`, 'X-Forwarded-For': '5.6.7.8' };
  const { status } = await send(stand.url('/v1/events'), { headers, body });
  expect(status).toBe(200);
  const { value } = stand.log.recordsOf(TOPIC.events).at(-1) ?? { value: null };
  return (JSON.parse(readAcceptedEvent(value ?? '').eventText) as { context: unknown }).context;
};

const PLACE = { city: 'Lyon', country: 'France', latitude: 45.75, longitude: 4.85 };

it.each<[what: string, key: string, context: string, expected: object]>([
  ['a browser', browser.key, '', { ip: '5.6.7.8', location: PLACE }],
  ['a server that names an address', server.key, '"ip":"5.6.0.1"', { location: PLACE }],
  [
    'a browser that sends its location',
    browser.key,
    '"location":{"city":"Nice"}',
    { location: { city: 'Nice' } },
  ],
])('adds the location for %s', async (_, key, context, expected) => {
  expect(await contextOf(key, context)).toMatchObject(expected);
});

it.each([
  ['a server', server.key, '"locale":"fr"'],
  ['a browser that withholds its address', browser.key, '"ip":"0.0.0.0","locale":"fr"'],
  ['an address elsewhere', browser.key, '"ip":"9.9.9.9"'],
])('adds no location for %s', async (_, key, context) => {
  expect(await contextOf(key, context)).not.toHaveProperty('location');
});

it('fails to start when the configured database is missing', async () => {
  await expect(new GatewayStand().start(configured('nothing.mmdb'))).rejects.toThrow(
    'PENSTOCK_GEOIP must name a readable file',
  );
});
