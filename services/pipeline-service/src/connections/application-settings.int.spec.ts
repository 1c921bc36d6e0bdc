import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedHttp, type GuardedHttp } from '@penstock/connectors';
import type { ConnectionRole } from '@penstock/contracts';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let http: GuardedHttp;
let vendor: Server;
/** Statuses of the next answers; 200 when there are no more; 0: no answer. */
let next: number[] = [];
let requests = 0;

const ANSWERS: Readonly<Record<string, object>> = {
  '/crm/v3/properties/contacts': { results: [] },
  '/v1/customers': { data: [], has_more: false },
  '/3.0/lists/audience': { id: 'audience' },
  '/api/profiles': { data: [] },
  '/v3/account': { email: 'ada@example.com' },
};

/** Settings of each application that is asked. */
const APPLICATIONS: readonly (readonly [string, object])[] = [
  ['hubspot', { accessToken: 'secret-of-hubspot' }],
  ['stripe', { apiKey: 'rk_live_secret' }],
  ['mailchimp', { apiKey: '0123456789abcdef0123456789abcdef-us1', audience: 'audience' }],
  ['klaviyo', { privateAPIKey: 'pk_0123456789abcdef0123456789abcdef01' }],
  ['brevo', { apiKey: 'secret-of-brevo' }],
];

beforeAll(async () => {
  vendor = createServer(({ url = '', headers }, response) => {
    requests += 1;
    const status = next.shift() ?? 200;
    const body = status === 200 ? ANSWERS[new URL(url, 'http://vendor').pathname] : headers;
    if (status > 0) response.writeHead(status).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  await once(vendor, 'listening');
  http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  installation = await Installation.open();
  await installation.start({ http });
});
beforeEach(() => {
  next = [];
  requests = 0;
});
afterAll(async () => {
  await installation.close();
  await http.close();
  vendor.close();
  vendor.closeAllConnections();
});

const sealed = (settings: object): string => {
  const { port } = vendor.address() as AddressInfo;
  return installation.sealed({ baseURL: `http://127.0.0.1:${String(port)}`, ...settings });
};

const create = (connector: string, settings: object, role: ConnectionRole = 'Source') => {
  const wanted = { connector, settings: sealed(settings) };
  return role === 'Source' ? installation.source(wanted) : installation.destination(wanted);
};

const count = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM penstock.connections',
  );
  return rows[0]?.n ?? NaN;
};

describe.each(APPLICATIONS)('%s', (connector, settings) => {
  it.each(['Source', 'Destination'] as const)('is asked once before a %s is made', async (role) => {
    await create(connector, settings, role);
    expect(requests).toBe(1);
  });

  it.each([
    [401, 'InvalidSettings', { details: [{ path: '/settings' }] }],
    [404, 'InvalidSettings', { details: [{ path: '/settings' }] }],
    [429, 'ServiceUnavailable', {}],
    [503, 'ServiceUnavailable', {}],
  ])('makes no connection when it answers %d', async (status, code, more) => {
    const before = await count();
    next = [status];
    const failure = await create(connector, settings).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, ...more });
    const [credential] = Object.values(settings) as string[];
    expect(JSON.stringify(failure)).not.toContain(credential);
    expect(await count()).toBe(before);
  });
});

it('nothing is made when the application cannot be reached, or does not answer', async () => {
  const before = await count();
  const away = { accessToken: 'x', baseURL: 'http://127.0.0.1:1' };
  await expect(create('hubspot', away)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  next = [0];
  await expect(create('hubspot', { accessToken: 'x' })).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    message: 'service is unavailable: no answer within 10 s',
  });
  expect(await count()).toBe(before);
});

it('the egress rules hold for a host that a user names', async () => {
  const inside = { accessToken: 'x', baseURL: 'http://10.0.0.1' };
  await expect(create('hubspot', inside)).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    message: expect.stringContaining('egress') as string,
  });
});

it('a change of settings is asked about, and a change of the name is not', async () => {
  const id = await create('hubspot', { accessToken: 'first-token' });
  const update = (settings?: object) =>
    installation.command('UpdateConnection', {
      ...{ id, name: 'A name' },
      ...(settings && { settings: sealed(settings) }),
    });
  requests = 0;
  await update();
  expect(requests).toBe(0);
  next = [401];
  await expect(update({ accessToken: 'other' })).rejects.toMatchObject({ code: 'InvalidSettings' });
  await update({ accessToken: '••••oken' });
  expect(requests).toBe(2);
});

it('a key that only sends events is enough for a destination of Klaviyo', async () => {
  next = [403, 403];
  const settings = { privateAPIKey: 'pk_0123456789abcdef0123456789abcdef01' };
  await create('klaviyo', settings, 'Destination');
  await expect(create('klaviyo', settings)).rejects.toMatchObject({ code: 'InvalidSettings' });
});
