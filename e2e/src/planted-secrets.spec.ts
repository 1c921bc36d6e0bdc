import { createHmac, randomBytes } from 'node:crypto';
import { freePorts } from '@penstock/local-kafka';
import { Client, escapeLiteral } from 'pg';
import { Echo } from './harness/echo';
import { DISTRIBUTED, EMBEDDED } from './harness/forms';
import { type Installation, showingOutput } from './harness/installation';
import { PlantedSecrets } from './harness/planted-secrets';
import { until } from './harness/until';
import { formsOf } from './router-faults/sizes';
import { Conversation } from './secrets/conversation';
import { type Destination, destinations } from './secrets/destinations';
import { malformedBodies, malformedSettings, malformedSources } from './secrets/malformed';
import { placesOf } from './secrets/places';
import { proposedTransformation, type Schema } from './secrets/proposed-transformation';

jest.setTimeout(240_000);

/** Topics that carry changes of the configuration. */
const KAFKA = ['commands', 'replies', 'configuration', 'configuration.state'];

describe.each(formsOf(EMBEDDED, DISTRIBUTED))('$form', ({ start }) => {
  const secrets = new PlantedSecrets();
  /** Secrets in URLs, which are shown with settings and must be nowhere else. */
  const urls = new PlantedSecrets();
  /** Secrets given as names: they are stored as names, but must not be in refusals. */
  const misnamed = new PlantedSecrets();
  /** Texts at visible places, which prove that the search would find a secret there. */
  const canaries = new PlantedSecrets();
  /** Output of processes that ended right after their start. */
  const printed = new Map<string, string>();
  let installation: Installation;
  let talk: Conversation;
  let echo: Echo;
  let database: Client;

  beforeAll(async () => {
    echo = await Echo.open();
    const secret = secrets.plant('PENSTOCK_SECRET', (core) => `${core}${core}`);
    installation = await start({ PENSTOCK_SECRET: secret, LOG_LEVEL: 'trace' });
    const { apiKey, databaseUrl } = installation;
    secrets.know('bootstrap key', apiKey);
    secrets.know("database's password", new URL(databaseUrl).password);
    talk = await Conversation.begin(installation);
    database = new Client({ connectionString: databaseUrl });
    database.on('error', () => undefined);
    await database.connect();
  });

  afterAll(async () => {
    await database.end();
    await installation.destroy();
    await echo.close();
  });

  const test = (title: string, body: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, body),
    );
  };

  /** @returns id and write key. */
  const source = async (connector: string, settings: object = {}) => {
    const body = { name: connector, role: 'Source', connector, settings };
    const id = String((await talk.done('POST /v1/connections', { body }))['id']);
    const name = `write key of ${connector}`;
    const call = `GET /v1/connections/${id}/event-write-keys`;
    const { keys } = (await talk.done(call, { reveals: [name] })) as { keys: [string] };
    return { id, writeKey: secrets.know(name, keys[0]), reveals: [name] };
  };

  const ANY_PROPERTIES = {
    kind: 'object',
    properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
  };

  const schemaOf = async (id: string, eventType: string): Promise<Schema | null> => {
    const call = `GET /v1/connections/${id}/schemas/event?type=${eventType}`;
    return (await talk.done(call))['schema'] as Schema | null;
  };

  /** Creates a destination with a pipeline and links it. @returns the pipeline's id. */
  const connect = async (from: string, destination: Destination): Promise<string> => {
    const { name, connector, settings, eventType, transformation } = destination;
    const { id } = await talk.done('POST /v1/connections', {
      body: { name, role: 'Destination', connector, settings, linkedConnections: [from] },
    });
    const connection = String(id);
    const shown = await talk.done(`GET /v1/connections/${connection}`);
    await talk.done(`PUT /v1/connections/${connection}`, {
      body: { name: `${name} again`, settings: shown['settings'] },
    });
    const made = await talk.done('POST /v1/pipelines', {
      body: {
        name,
        connection,
        target: 'Event',
        eventType,
        enabled: true,
        ...(transformation === undefined
          ? proposedTransformation(await schemaOf(connection, eventType))
          : { transformation, outSchema: ANY_PROPERTIES }),
      },
    });
    return String(made['id']);
  };

  const deliveries = async (): Promise<Map<string, { state: string; reason: string }>> => {
    const { rows } = await database.query<{ pipeline: string; state: string; reason: string }>(
      'SELECT pipeline, state, reason FROM penstock_router.deliveries',
    );
    return new Map(rows.map(({ pipeline, state, reason }) => [pipeline, { state, reason }]));
  };

  test('delivers to servers that repeat requests in their answers, and is rejected by them', async () => {
    const { id, writeKey } = await source('nodejs');
    const all = destinations({ secrets, urls, canaries }, echo.origin);
    const pipelines = await Promise.all(all.map((each) => connect(id, each)));
    const event = {
      type: 'track',
      event: canaries.plant('event', (core) => `E${core}`),
      userId: 'ada',
      traits: { email: 'ada@example.com' },
      context: { traits: { email: 'ada@example.com' } },
      properties: { price: 1 },
    };
    await talk.done('POST /v1/events', { key: writeKey, body: event });
    const isThere = async (): Promise<boolean> => {
      const found = await deliveries();
      return all.every(({ ending }, index) => {
        const delivery = found.get(pipelines[index] ?? '');
        return ending === 'Delivered' || (delivery?.state === ending && delivery.reason !== '');
      });
    };
    await until('every delivery has ended or failed', isThere).catch(async (error: unknown) => {
      process.stderr.write(`${JSON.stringify([...(await deliveries())], null, 1)}\n`);
      throw error;
    });
    const found = await deliveries();
    for (const [index, { name, reason }] of all.entries())
      if (reason !== undefined)
        expect([name, found.get(pipelines[index] ?? '')?.reason]).toEqual([
          name,
          expect.stringMatching(reason),
        ]);
    await until('what is taken arrives', () => echo.taken.length > 0);
    expect(secrets.in(echo.taken.join())).toContain('password of http 200/text/none');
  });

  test('accepts events on every route, and refuses wrong keys and signatures', async () => {
    const { id, writeKey } = await source('javascript');
    const event = { type: 'track', event: 'E', userId: 'ada' };
    const basic = `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`;
    const none = { Authorization: '' };
    await talk.done('POST /v1/events', { headers: { Authorization: basic }, body: event });
    await talk.done(`POST /v1/events?writeKey=${writeKey}`, { headers: none, body: event });
    await talk.done('POST /v1/track', { headers: none, body: { ...event, writeKey } });
    await talk.done('POST /v1/batch', {
      headers: none,
      body: { writeKey, batch: [{ ...event, writeKey }], context: { writeKey } },
    });
    await talk.ask(`GET /v1/projects/${writeKey}/settings`, {
      headers: none,
      reveals: ['write key of javascript'],
    });
    const wrong = secrets.plant('wrong write key', (core) => `00000000${core}`);
    const refused = [
      await talk.ask('POST /v1/events', { key: wrong, body: event }),
      await talk.ask(`POST /v1/events?writeKey=${wrong}`, { headers: none, body: event }),
      await talk.ask('POST /v1/track', { headers: none, body: { ...event, writeKey: wrong } }),
      await talk.ask('POST /v1/track', { headers: none, body: `{"writeKey":"${wrong}",` }),
      await talk.ask(`POST /v1/webhooks/${wrong}`, { headers: none, body: event }),
      await talk.ask(`GET /v1/projects/${wrong}/settings`, { headers: none }),
      await talk.ask(`DELETE /v1/connections/${id}/event-write-keys/${wrong}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 400, 401, 401, 404]);

    const secret = secrets.plant('webhook secret');
    const webhook = await source('webhook', { signature: { header: 'X-Signature', secret } });
    const body = JSON.stringify(event);
    const signed = createHmac('sha256', secret).update(body).digest('hex');
    const call = `POST /v1/webhooks/${webhook.writeKey}`;
    const sign = (signature: string) => ({ headers: { ...none, 'X-Signature': signature }, body });
    await talk.done(call, sign(signed));
    expect((await talk.ask(call, sign(secrets.plant('wrong signature')))).status).toBe(401);
    const shared = { sharedSecret: secrets.plant('Segment secret') };
    const segment = await source('segment', shared);
    const unsigned = { headers: none, body };
    expect((await talk.ask(`POST /v1/webhooks/${segment.writeKey}`, unsigned)).status).toBe(401);
  });

  test('refuses invalid requests without repeating their values', async () => {
    const create =
      (role: string) =>
      ([connector, settings]: readonly [string, object]) =>
        talk.ask('POST /v1/connections', { body: { name: 'N', role, connector, settings } });
    const misplaced = secrets.plant('misplaced secret');
    const name = misnamed.plant('secret as a name');
    const refused = (path: string): object => ({
      apiKey: secrets.plant(`refused Brevo key ${path}`),
      baseURL: `${echo.origin}/401/${path}/api-key`,
    });
    const answers = await Promise.all([
      create('Source')([name, {}]),
      ...['text', 'json', 'html'].map((path) => create('Source')(['brevo', refused(path)])),
      ...malformedSettings(misplaced).map(create('Destination')),
      ...malformedSources(misplaced).map(create('Source')),
      ...malformedBodies(misplaced).map((body) => talk.ask('POST /v1/connections', { body })),
    ]);
    for (const { status } of answers) expect([400, 422]).toContain(status);

    const inPath = secrets.plant('secret in a path', (core) => `pk_${core}0123456789abcdef`);
    for (const path of ['', 'keys/', 'connections/', 'pipelines/', 'pipelines/runs/'])
      for (const method of ['GET', 'PUT', 'DELETE'])
        await talk.ask(`${method} /v1/${path}${inPath}`, { body: {} });
    const inQuery = misnamed.plant('secret in a query', (core) => core);
    for (const query of ['connections?cursor=', 'connections?limit=', 'audit?type=', 'audit?from='])
      await talk.ask(`GET /v1/${query}${inQuery}`);
    for (const header of ['Authorization', 'Penstock-Workspace', 'If-Match', 'Content-Type'])
      await talk.ask('PUT /v1/workspaces/current', { headers: { [header]: inPath }, body: {} });
    for (const scheme of ['Basic', 'Bearer', 'Digest'])
      await talk.ask('GET /v1/keys', { headers: { Authorization: `${scheme} ${inPath}` } });
  });

  test('returns a new key once', async () => {
    const repeated = { 'Idempotency-Key': secrets.plant('Idempotency-Key', (core) => core) };
    const body = { name: 'K', scope: 'read' };
    const make = () => talk.ask('POST /v1/keys', { headers: repeated, body, reveals: ['API key'] });
    const { json } = await make();
    const key = secrets.know('API key', String(json['key']));
    expect((await make()).status).toBe(409);
    await talk.done('GET /v1/keys');

    const { id } = await source('python');
    const call = `POST /v1/connections/${id}/event-write-keys`;
    const reveals = ['second write key'];
    const made = await talk.done(call, { headers: repeated, reveals });
    secrets.know('second write key', String(made['key']));
    expect(await talk.done(call, { headers: repeated, reveals })).toEqual(made);

    const settings = { url: 'https://example.com/', signingSecret: secrets.plant('repeated') };
    const destination = { name: 'D', role: 'Destination', connector: 'http', settings };
    const create = { headers: repeated, body: destination };
    expect(await talk.done('POST /v1/connections', create)).toEqual(
      await talk.done('POST /v1/connections', create),
    );
    for (const path of ['connections', 'pipelines', 'warehouse', 'audit?limit=1000', 'connectors'])
      await talk.ask(`GET /v1/${path}`, { key });
  });

  test('connects to warehouses, or is rejected by them', async () => {
    const role = `loader_${randomBytes(6).toString('hex')}`;
    const password = secrets.plant('password of the warehouse');
    const reveals = ['password of the warehouse'];
    await database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)};
       CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
    );
    const { hostname: host, port, pathname } = new URL(installation.databaseUrl);
    const settings = {
      host,
      port: Number(port),
      username: role,
      password,
      database: pathname.slice(1),
      schema: role,
    };
    const body = { name: 'W', warehouse: { platform: 'PostgreSQL', settings } };
    const { id } = await talk.done('POST /v1/workspaces', { body });
    const headers = { 'Penstock-Workspace': String(id) };
    await talk.done('PUT /v1/warehouse/test', { headers, body: { settings } });
    await talk.done('PUT /v1/warehouse', { headers, body: { settings } });
    const { settings: shown } = await talk.done('GET /v1/warehouse', { headers, reveals });
    expect(shown).toMatchObject({ Password: password });
    const reader = await talk.done('POST /v1/keys', {
      body: { name: 'R', scope: 'read', workspace: id },
      reveals: ["reader's key"],
    });
    const key = secrets.know("reader's key", String(reader['key']));
    await talk.done('GET /v1/warehouse', { key });
    await talk.done('GET /v1/audit?limit=1000', { key });

    const wrong = secrets.plant('wrong password');
    const name = misnamed.plant('password as a name');
    const tried = [
      { ...settings, password: wrong },
      { ...settings, username: name, password: name },
      { ...settings, password: wrong, schema: wrong },
      { ...settings, port: wrong },
      { ...settings, port: 1 },
      { ...settings, host: wrong },
      { ...settings, [wrong.slice(0, 3)]: wrong },
      wrong,
    ];
    for (const each of tried) {
      const { status } = await talk.ask('PUT /v1/warehouse/test', {
        headers,
        body: { settings: each },
      });
      expect([400, 422]).toContain(status);
    }
    const mcp = { settings, mcpSettings: { ...settings, password: wrong } };
    expect((await talk.ask('PUT /v1/warehouse', { headers, body: mcp })).status).toBe(422);

    await database.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const requestId = { 'Request-Id': canaries.plant('request id', (core) => core) };
    const repair = { headers: { ...headers, ...requestId } };
    expect((await talk.ask('POST /v1/warehouse/repair', repair)).status).toBe(503);
  });

  test('reports invalid variables without their values', async () => {
    const service = 'pipeline-service/dist/main.js';
    const { hostname, port } = new URL(installation.databaseUrl);
    const [opsPort = 0] = await freePorts(1);
    const plant = (name: string): string => secrets.plant(`bad ${name}`, (core) => core);
    const user = canaries.plant('user of the database', (core) => `u${core}`);
    const starts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      malformed: {
        DATABASE_URL: `mysql://u:${plant('DATABASE_URL')}@h/d`,
        KAFKA_BROKERS: `kafka://u:${plant('KAFKA_BROKERS')}@h`,
        KAFKA_SASL_PASSWORD: plant('KAFKA_SASL_PASSWORD'),
        PENSTOCK_SECRET: plant('PENSTOCK_SECRET').slice(0, 31),
        PENSTOCK_BOOTSTRAP_KEY: `pk_${plant('PENSTOCK_BOOTSTRAP_KEY')}`,
        PENSTOCK_WAREHOUSE_URL: plant('PENSTOCK_WAREHOUSE_URL'),
      },
      unusable: {
        DATABASE_URL: `postgres://${user}:${plant('password')}@${hostname}:${port}/penstock`,
        PENSTOCK_OPS_PORT: String(opsPort),
      },
    };
    for (const [name, env] of Object.entries(starts)) {
      const { exitCode, output } = await installation.configuration.run(service, env);
      printed.set(`the output of a start with ${name} variables`, output);
      expect([name, exitCode]).toEqual([name, 1]);
    }
  });

  test('survives an outage of its database', async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    await until('it makes changes again', async () => {
      const { status } = await talk.ask('PUT /v1/workspaces/current', { body: { name: 'W' } });
      return status === 200;
    });
    await until('it answers again', async () => {
      const { status } = await talk.ask('GET /v1/connections?limit=1000');
      return status === 200;
    });
  });

  test('has answered, written and published no secret, and every canary is found', async () => {
    const { brokers } = installation;
    const userId = secrets.plant('suppressed user');
    await talk.done('POST /v1/users/suppress', { body: { userId } });
    const name = canaries.plant('name of a connection', (core) => core);
    const body = { name, role: 'Source', connector: 'nodejs' };
    const { id } = await talk.done('POST /v1/connections', { body });
    await talk.done(`GET /v1/connections/${String(id)}`);
    await talk.done('GET /v1/audit?limit=1000');
    const audited = canaries.plant('audited request', (core) => core);
    await talk.done(`GET /v1/audit?requestId=${audited}`);
    await talk.done('GET /v1/keys');
    const places = [...(await placesOf(installation)), ...printed];
    expect([...talk.revealed(secrets), ...talk.revealed(misnamed)]).toEqual([]);
    expect([...secrets.inPlaces(places), ...urls.inPlaces(places)]).toEqual([]);

    const log = brokers.length > 0 ? KAFKA : ['penstock_log.messages'];
    const seen = [...talk.revealed(canaries), ...canaries.inPlaces(places)];
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^repeated header in the answer to \d+: GET .v1.connections.\w+$/),
        expect.stringMatching(/^name of a connection in the answer to \d+: GET .v1.audit/),
        expect.stringMatching(/^request id in (api-gateway|standalone).output.log$/),
        'user of the database in the output of a start with unusable variables',
        'repeated header in penstock_router.deliveries',
        'name of a connection in penstock.connections',
        'name of a connection in penstock.facts',
        ...log.map((place) => `name of a connection in ${place}`),
        `audited request in ${brokers.length > 0 ? 'queries' : 'penstock_log.messages'}`,
        `event in ${brokers.length > 0 ? 'events' : 'penstock_log.messages'}`,
      ]),
    );
  });
});
