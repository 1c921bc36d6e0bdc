import { randomBytes } from 'node:crypto';
import { ApiClient, type NewConnection } from './harness/api-client';
import { sendRaw } from './harness/raw-request';
import { SeveralGateways } from './harness/several-gateways';
import { topicTexts } from './harness/topic-texts';

jest.setTimeout(240_000);

const LIMIT = 30;

let installation: SeveralGateways;

beforeAll(async () => {
  installation = await SeveralGateways.start({
    pipelineServices: 2,
    onKafka: true,
    env: { PENSTOCK_MAX_PIPELINES: String(LIMIT) },
  });
});

afterAll(() => installation.destroy());

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** @param gateway any number: they take turns. */
const ask = async (gateway: number, call: string, { headers = {}, body }: Sent = {}) => {
  const [method = '', path = ''] = call.split(' ');
  const answer = await sendRaw(`${installation.addresses[gateway % 2] ?? ''}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${installation.apiKey}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (answer.text === '' ? {} : JSON.parse(answer.text)) as Record<string, unknown>;
  return { ...answer, json };
};

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

const api = (): ApiClient => new ApiClient(installation.addresses[0], installation.apiKey);

const source = (name = 'S'): Promise<string> =>
  api().createConnection({ name, role: 'Source', connector: 'nodejs', settings: {} });

const destination = (
  settings: NewConnection['settings'] = { url: 'https://example.com/' },
): Promise<string> =>
  api().createConnection({ name: 'D', role: 'Destination', connector: 'http', settings });

const countsOf = (statuses: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

it('read at once, through any gateway, what was written through any', async () => {
  const id = await source();
  for (let round = 0; round < 40; round += 1) {
    const name = `Round ${String(round)}`;
    const written = await ask(round, `PUT /v1/connections/${id}`, { body: { name } });
    expect(written.status).toBe(200);
    const read = await times(4, (n) => ask(n, `GET /v1/connections/${id}`));
    expect(read.map(({ json }) => json['name'])).toEqual([name, name, name, name]);
  }
});

it('let exactly as many pipelines be made as an organization may have', async () => {
  const connection = await destination();
  const body = { name: 'P', connection, target: 'Event', eventType: 'send_event' };
  for (let made = 0; made < LIMIT - 20; made += 1)
    expect((await ask(made, 'POST /v1/pipelines', { body })).status).toBe(200);
  const answers = await times(50, (n) => ask(n, 'POST /v1/pipelines', { body }));
  expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 20, 422: 30 });
  const { json } = await ask(1, 'GET /v1/pipelines?limit=1000');
  expect(json['pipelines']).toHaveLength(LIMIT);
  expect((await ask(0, `DELETE /v1/connections/${connection}`)).status).toBe(200);
});

it('let exactly 20 write keys be made', async () => {
  const id = await source();
  const path = `/v1/connections/${id}/event-write-keys`;
  const answers = await times(200, (n) => ask(n, `POST ${path}`));
  expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 19, 422: 181 });
  const { json } = await ask(1, `GET ${path}`);
  expect(new Set(json['keys'] as string[]).size).toBe(20);
});

it('settle changes of one object that meet: none is an error, and with If-Match one wins', async () => {
  const id = await source();
  const path = `/v1/connections/${id}`;
  const renamed = await times(60, (n) =>
    ask(n, `PUT ${path}`, { body: { name: `Name ${String(n)}` } }),
  );
  expect(countsOf(renamed.map(({ status }) => status))).toEqual({ 200: 60 });
  const etag = String((await ask(0, `GET ${path}`)).headers['etag']);
  const raced = await times(20, (n) =>
    ask(n, `PUT ${path}`, { headers: { 'If-Match': etag }, body: { name: `Race ${String(n)}` } }),
  );
  expect(countsOf(raced.map(({ status }) => status))).toEqual({ 200: 1, 409: 19 });
});

it('print, answer and publish no secret', async () => {
  const planted = (): string => `planted-${randomBytes(12).toString('hex')}`;
  const [token, header, password, userId] = [planted(), planted(), planted(), planted()];
  const settings = {
    url: 'https://example.com/',
    auth: { type: 'bearer', token },
    headers: [{ name: 'X-Key', value: header, secret: true }],
  };
  const made = await destination(settings);
  await ask(1, `PUT /v1/connections/${made}`, {
    body: { name: 'Renamed', settings: { ...settings, auth: { type: 'bearer', token, more: 1 } } },
  });
  const from = await source();
  const writeKey = await api().writeKeyOf(from);
  const key = (await ask(0, 'POST /v1/keys', { body: { name: 'K', scope: 'read' } })).json['key'];
  await ask(1, 'GET /v1/connectors', { headers: { Authorization: `Bearer ${String(key)}` } });
  const warehouse = {
    host: '127.0.0.1',
    port: 1,
    username: 'u',
    password,
    database: 'd',
    schema: 's',
  };
  const errors = [
    await ask(0, 'PUT /v1/warehouse/test', { body: { settings: warehouse } }),
    await ask(1, 'POST /v1/workspaces', {
      body: { name: 'W', warehouse: { platform: 'PostgreSQL', settings: warehouse } },
    }),
    await ask(0, 'POST /v1/connections', {
      body: {
        name: 'D',
        role: 'Destination',
        connector: 'http',
        settings: { ...settings, url: 'ftp://example.com', color: 'red' },
      },
    }),
  ];
  for (const { status } of errors) expect([400, 422]).toContain(status);
  expect((await ask(0, 'POST /v1/users/suppress', { body: { userId } })).status).toBe(200);
  const audit = await ask(1, 'GET /v1/audit?limit=1000');
  expect(audit.text).toContain('ConnectionCreated');

  const places = new Map<string, string>([
    ...installation.services.map(({ name, output }): [string, string] => [name, output]),
    ...errors.map(({ text }, n): [string, string] => [`error ${String(n)}`, text]),
    ['audit', audit.text],
    ...(await topicTexts(installation.brokers)),
  ]);
  expect(places.get('configuration')).toContain('ConnectionCreated');
  const secrets = {
    token,
    header,
    password,
    userId,
    writeKey,
    key: String(key),
    bootstrap: installation.apiKey,
  };
  const found = [...places].flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      text.includes(secret) ? [`${name} in ${place}`] : [],
    ),
  );
  expect(found).toEqual([]);
});
