import { randomUUID } from 'node:crypto';
import { sendPatiently } from './harness/raw-request';
import { SeveralGateways } from './harness/several-gateways';

jest.setTimeout(180_000);

let installation: SeveralGateways;

beforeAll(async () => {
  installation = await SeveralGateways.start();
});
afterAll(() => installation.destroy());

interface Sent {
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Sends a request. @param gateway 0 or 1. */
const ask = async (
  gateway: number,
  call: string,
  { apiKey = installation.apiKey, headers = {}, body }: Sent = {},
) => {
  const [method = '', path = ''] = call.split(' ');
  const { status, text } = await sendPatiently(
    `${installation.addresses[gateway % 2] ?? ''}${path}`,
    {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    },
  );
  return { status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
};

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

const newKey = async (gateway: number) =>
  (await ask(gateway, 'POST /v1/keys', { body: { name: 'CI', scope: 'write' } })).json as {
    id: string;
    key: string;
  };

it('execute a repeated request once, also when they are killed and restarted', async () => {
  const key = { 'Idempotency-Key': randomUUID() };
  const body = { name: 'Once', role: 'Source', connector: 'nodejs' };
  const post = (n: number) => ask(n, 'POST /v1/connections', { headers: key, body });
  const answers = await times(20, post);
  const statuses = new Set(answers.map(({ status }) => status));
  statuses.delete(409);
  expect([...statuses]).toEqual([200]);
  const made = answers.flatMap(({ status, json }) => (status === 200 ? [json['id']] : []));
  expect(new Set(made).size).toBe(1);

  await Promise.all(installation.gateways.map((gateway) => gateway.kill9()));
  await Promise.all(installation.gateways.map((gateway) => gateway.start()));
  expect(await times(2, post)).toEqual([0, 1].map(() => ({ status: 200, json: { id: made[0] } })));
  const { json } = await ask(0, 'GET /v1/connections');
  expect(
    (json['connections'] as { name: string }[]).filter(({ name }) => name === 'Once'),
  ).toHaveLength(1);
});

it('accept a key at once that the other has created, and none whose revocation was answered', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, key } = await newKey(round);
    const look = () => ask(round + 1, 'GET /v1/connectors', { apiKey: key });
    expect((await look()).status).toBe(200);
    const revoked = ask(round, `DELETE /v1/keys/${id}`);
    const done = { is: false };
    void revoked.then(() => (done.is = true));
    while (!done.is) await look();
    expect((await revoked).status).toBe(200);
    expect(await times(10, look)).toEqual(
      Array.from({ length: 10 }, () => expect.objectContaining({ status: 401 }) as unknown),
    );
  }
});

it('both apply a change of the organization’s status as soon as it is answered', async () => {
  const set = (enabled: boolean) => ask(0, 'PUT /v1/organization/status', { body: { enabled } });
  const look = async () =>
    (await times(4, (n) => ask(n, 'GET /v1/connections'))).map(({ status }) => status);
  expect((await set(false)).status).toBe(200);
  expect(await look()).toEqual([422, 422, 422, 422]);
  expect((await set(true)).status).toBe(200);
  expect(await look()).toEqual([200, 200, 200, 200]);
});

const newWorkspace = (name: string, schema: string) => {
  const { hostname, port, username, password, pathname } = new URL(installation.databaseUrl);
  const settings = {
    host: hostname,
    port: Number(port),
    username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    schema,
  };
  const body = { name, warehouse: { platform: 'PostgreSQL', settings } };
  return ask(0, 'POST /v1/workspaces', { body });
};

it('find a workspace at once that the other has created, and none that was deleted', async () => {
  const { json } = await newWorkspace('Second', 'second_warehouse');
  const headers = { 'Penstock-Workspace': String(json['id']) };
  const current = (gateway: number) => ask(gateway, 'GET /v1/workspaces/current', { headers });
  expect(await current(1)).toEqual({ status: 200, json: { id: json['id'], name: 'Second' } });
  expect((await ask(1, 'GET /v1/workspaces/current')).status).toBe(404);
  expect((await ask(0, 'DELETE /v1/workspaces/current', { headers })).status).toBe(200);
  expect((await times(4, current)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await ask(1, 'GET /v1/workspaces/current')).status).toBe(200);
});

it('show the secrets of a deleted workspace as erased to keys of the organization', async () => {
  const { json } = await newWorkspace('Third', 'third_warehouse');
  const headers = { 'Penstock-Workspace': String(json['id']) };
  const auth = { type: 'bearer', token: 'secret-token-1234' };
  const body = {
    name: 'Target',
    role: 'Destination',
    connector: 'http',
    settings: { url: 'https://example.com/', auth },
  };
  const made = await ask(1, 'POST /v1/connections', { headers, body });
  const path = `/v1/connections/${String(made.json['id'])}`;
  const facts = async (gateway: number) => {
    const { status, json: page } = await ask(gateway, 'GET /v1/audit?limit=100', { headers });
    expect(status).toBe(200);
    return (page['facts'] as { type: string; after: Record<string, unknown> }[]).filter(
      ({ type }) => type === 'ConnectionCreated' || type === 'WorkspaceDeleted',
    );
  };
  expect(await facts(0)).toMatchObject([{ after: { settings: { auth: { token: '••••1234' } } } }]);
  expect((await ask(0, 'DELETE /v1/workspaces/current', { headers })).status).toBe(200);
  const erased = [{ type: 'WorkspaceDeleted' }, { after: { name: 'Target', settings: 'erased' } }];
  expect(await facts(0)).toMatchObject(erased);
  await Promise.all(installation.gateways.map((gateway) => gateway.kill9()));
  await Promise.all(installation.gateways.map((gateway) => gateway.start()));
  for (const gateway of [0, 1]) {
    expect(await facts(gateway)).toMatchObject(erased);
    const at = `?at=${new Date(Date.now() - 1_000).toISOString()}`;
    expect((await ask(gateway, `GET ${path}${at}`, { headers })).status).toBe(404);
  }
});
