import { ApiClient } from './harness/api-client';
import { sendPatiently } from './harness/raw-request';
import { SeveralGateways } from './harness/several-gateways';

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

/** Sends a request. @param gateway any number; taken modulo the number of gateways. */
const ask = async (gateway: number, call: string, { headers = {}, body }: Sent = {}) => {
  const [method = '', path = ''] = call.split(' ');
  const answer = await sendPatiently(`${installation.addresses[gateway % 2] ?? ''}${path}`, {
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

const destination = (): Promise<string> =>
  api().createConnection({
    name: 'D',
    role: 'Destination',
    connector: 'http',
    settings: { url: 'https://example.com/' },
  });

const countsOf = (statuses: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

it('read changes at once through any gateway', async () => {
  const id = await source();
  for (let round = 0; round < 40; round += 1) {
    const name = `Round ${String(round)}`;
    const written = await ask(round, `PUT /v1/connections/${id}`, { body: { name } });
    expect(written.status).toBe(200);
    const read = await times(4, (n) => ask(n, `GET /v1/connections/${id}`));
    expect(read.map(({ json }) => json['name'])).toEqual([name, name, name, name]);
  }
});

it('create exactly as many pipelines as an organization may have', async () => {
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

it('create exactly 20 write keys', async () => {
  const id = await source();
  const path = `/v1/connections/${id}/event-write-keys`;
  const answers = await times(60, (n) => ask(n, `POST ${path}`));
  expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 19, 422: 41 });
  const { json } = await ask(1, `GET ${path}`);
  expect(new Set(json['keys'] as string[]).size).toBe(20);
});

it('resolve concurrent changes of one object: none is an error, and with If-Match one wins', async () => {
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
