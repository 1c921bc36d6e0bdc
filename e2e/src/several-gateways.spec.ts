import { randomUUID } from 'node:crypto';
import { ApiClient } from './harness/api-client';
import { sendPatiently } from './harness/raw-request';
import { SeveralGateways } from './harness/several-gateways';
import { formsOf, sized } from './router-faults/sizes';

jest.setTimeout(240_000);

/** Most pipelines of the organization. */
const LIMIT = 30;
/** Requests at once. */
const MANY = sized(26, 60);
const ROUNDS = sized(8, 40);

describe.each(formsOf({ form: 'PostgreSQL', onKafka: false }, { form: 'Kafka', onKafka: true }))(
  'two gateways and two pipeline services on $form',
  ({ onKafka }) => {
    let installation: SeveralGateways;

    beforeAll(async () => {
      const env = { PENSTOCK_MAX_PIPELINES: String(LIMIT) };
      installation = await SeveralGateways.start({ pipelineServices: 2, onKafka, env });
    });
    afterAll(() => installation.destroy());

    interface Sent {
      readonly apiKey?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: object;
    }

    /** Sends a request. @param gateway any number; taken modulo the number of gateways. */
    const ask = async (
      gateway: number,
      call: string,
      { apiKey = installation.apiKey, headers = {}, body }: Sent = {},
    ) => {
      const [method = '', path = ''] = call.split(' ');
      const {
        status,
        text,
        headers: answered,
      } = await sendPatiently(`${installation.addresses[gateway % 2] ?? ''}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      return { status, json, etag: String(answered['etag']) };
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
      expect(await times(2, post)).toMatchObject(
        [0, 1].map(() => ({ status: 200, json: { id: made[0] } })),
      );
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
      const set = (enabled: boolean) =>
        ask(0, 'PUT /v1/organization/status', { body: { enabled } });
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
      expect(await current(1)).toMatchObject({
        status: 200,
        json: { id: json['id'], name: 'Second' },
      });
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
      expect(await facts(0)).toMatchObject([
        { after: { settings: { auth: { token: '••••1234' } } } },
      ]);
      expect((await ask(0, 'DELETE /v1/workspaces/current', { headers })).status).toBe(200);
      const erased = [
        { type: 'WorkspaceDeleted' },
        { after: { name: 'Target', settings: 'erased' } },
      ];
      expect(await facts(0)).toMatchObject(erased);
      await Promise.all(installation.gateways.map((gateway) => gateway.kill9()));
      await Promise.all(installation.gateways.map((gateway) => gateway.start()));
      for (const gateway of [0, 1]) {
        expect(await facts(gateway)).toMatchObject(erased);
        const at = `?at=${new Date(Date.now() - 1_000).toISOString()}`;
        expect((await ask(gateway, `GET ${path}${at}`, { headers })).status).toBe(404);
      }
    });

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
      for (let round = 0; round < ROUNDS; round += 1) {
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
      const answers = await times(MANY, (n) => ask(n, 'POST /v1/pipelines', { body }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 20, 422: MANY - 20 });
      const { json } = await ask(1, 'GET /v1/pipelines?limit=1000');
      expect(json['pipelines']).toHaveLength(LIMIT);
      expect((await ask(0, `DELETE /v1/connections/${connection}`)).status).toBe(200);
    });

    it('create exactly 20 write keys', async () => {
      const id = await source();
      const path = `/v1/connections/${id}/event-write-keys`;
      const answers = await times(MANY, (n) => ask(n, `POST ${path}`));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 19, 422: MANY - 19 });
      const { json } = await ask(1, `GET ${path}`);
      expect(new Set(json['keys'] as string[]).size).toBe(20);
    });

    it('resolve concurrent changes of one object: none is an error, and with If-Match one wins', async () => {
      const id = await source();
      const path = `/v1/connections/${id}`;
      const renamed = await times(MANY, (n) =>
        ask(n, `PUT ${path}`, { body: { name: `Name ${String(n)}` } }),
      );
      expect(countsOf(renamed.map(({ status }) => status))).toEqual({ 200: MANY });
      const etag = (await ask(0, `GET ${path}`)).etag;
      const raced = await times(20, (n) =>
        ask(n, `PUT ${path}`, {
          headers: { 'If-Match': etag },
          body: { name: `Race ${String(n)}` },
        }),
      );
      expect(countsOf(raced.map(({ status }) => status))).toEqual({ 200: 1, 409: 19 });
    });
  },
);
