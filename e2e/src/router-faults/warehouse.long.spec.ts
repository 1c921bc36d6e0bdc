import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { Client } from 'pg';
import { ApiClient } from '../harness/api-client';
import { startDatabase } from '../harness/database';
import { pipelineCounts } from '../harness/pipeline-counts';
import { Receiver } from '../harness/receiver';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';

jest.setTimeout(240_000);

const EVENTS = 2_000;
const AT_ONCE = 50;
const USERS = 40;
const PATIENCE_MS = 120_000;

interface Sent {
  readonly messageId: string;
  readonly anonymousId: string;
  readonly userId?: string;
  readonly timestamp: string;
  readonly traits: Readonly<Partial<Record<'email' | 'first_name', string>>>;
}

interface Source {
  readonly id: string;
  readonly writeKey: string;
  readonly rows: string;
  readonly identities: string;
  readonly sent: Sent[];
}

let folder: string;
let server: EmbeddedPostgres;
let installation: SeveralRouters;
let receiver: Receiver;
let api: ApiClient;
let sources: Source[];
let destinations: string[];

/** The address without the socket, whose folder other users cannot enter. */
const warehouseUrl = (): string => {
  const url = new URL(server.url);
  url.search = '?schema=warehouse';
  return url.href;
};

const text = (name: string) => ({ name, type: { kind: 'string' }, readOptional: true });

const pipeline = (connection: string, target: string, members: object = {}): Promise<string> =>
  api.createPipeline({ name: target, enabled: true, connection, target, ...members } as never);

const makeSource = async (name: string): Promise<Source> => {
  const id = await api.createConnection({ name, role: 'Source', connector: 'nodejs' });
  for (const destination of destinations) await api.link(id, destination);
  const transformation = { mapping: { email: 'traits.email', first_name: 'traits.first_name' } };
  const outSchema = { kind: 'object', properties: [text('email'), text('first_name')] };
  return {
    ...{ id, sent: [], writeKey: await api.writeKeyOf(id), rows: await pipeline(id, 'Event') },
    identities: await pipeline(id, 'User', { transformation, outSchema }),
  };
};

const makeDestination = async (name: string): Promise<string> => {
  const settings = { url: receiver.url, batchSize: 50 };
  const id = await api.createConnection({
    ...{ name, role: 'Destination', connector: 'http', settings },
  });
  await pipeline(id, 'Event', { eventType: 'send_event' });
  return id;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-warehouse-'));
  chmodSync(folder, 0o711);
  server = await startDatabase(folder);
  receiver = await Receiver.open();
  const env = { PENSTOCK_WAREHOUSE_URL: warehouseUrl() };
  installation = await SeveralRouters.start({ gateways: 1, routers: 2, brokers: 0, env });
  api = new ApiClient(installation.address, installation.apiKey);
  destinations = [];
  for (const name of ['one', 'two', 'three']) destinations.push(await makeDestination(name));
  sources = [await makeSource('shop'), await makeSource('blog')];
});

afterAll(async () => {
  await installation.destroy();
  await receiver.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const random = (below: number): number => Math.floor(Math.random() * below);

/** Updates of few users in an order that has nothing to do with their times, each of one property or both. */
const event = (source: number, number: number): Sent => {
  const user = random(USERS);
  const timestamp = new Date(Date.UTC(2026, 0, 1) + random(2_000) * 1_000).toISOString();
  const which = random(3);
  return {
    messageId: `m${String(source)}-${String(number)}`,
    anonymousId: `a${String(user)}`,
    ...(user % 2 === 0 && { userId: `u${String(user)}` }),
    timestamp,
    traits: {
      ...(which !== 0 && { email: `${String(number)}@example.com` }),
      ...(which !== 1 && { first_name: `Name ${String(number)}` }),
    },
  };
};

const post = async ({ writeKey, sent }: Source, events: readonly Sent[]): Promise<void> => {
  const body = JSON.stringify(events.map((each) => ({ type: 'identify', ...each })));
  const headers = { authorization: `Bearer ${writeKey}`, 'content-type': 'application/json' };
  await until('the events are accepted', async () => {
    const url = `${installation.address}/v1/events`;
    const { status } = await fetch(url, { method: 'POST', headers, body });
    return status === 200;
  });
  sent.push(...events);
};

const sendAll = async (): Promise<void> => {
  for (let from = 0; from < EVENTS; from += AT_ONCE)
    for (const [index, source] of sources.entries())
      await post(
        source,
        Array.from({ length: AT_ONCE }, (_, at) => event(index, from + at)),
      );
};

const killRouter = async (): Promise<void> => {
  const [router] = installation.routers;
  await router?.kill9();
  await router?.start();
};

const killWarehouse = async (): Promise<void> => {
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  server = await startDatabase(folder, server.port);
};

const rows = async (query: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
};

/** The state of each identity in the order of the times of its updates. */
const expectedIdentities = (): string[] =>
  sources.flatMap(({ identities, sent }) => {
    const byId = new Map<string, Sent['traits']>();
    const order = ({ timestamp, messageId }: Sent): string => `${timestamp} ${messageId}`;
    const sorted = [...sent].sort((one, other) => (order(one) < order(other) ? -1 : 1));
    for (const { userId, anonymousId, traits } of sorted) {
      const id = userId ?? anonymousId;
      byId.set(id, { ...byId.get(id), ...traits });
    }
    return [...byId].map(([id, traits]) =>
      JSON.stringify([identities, id, traits.email ?? null, traits.first_name ?? null]),
    );
  });

it('writes every accepted event once, and the identities in them, whoever is killed', async () => {
  const sending = sendAll();
  await until('events are written', async () => {
    const [row] = await rows('SELECT count(*)::int AS n FROM warehouse.events');
    return Number(row?.['n']) > 0;
  });
  await killRouter();
  await killWarehouse();
  await sending;
  const all = EVENTS * sources.length;
  await until(
    'all deliveries have ended',
    async () => {
      const counts = await pipelineCounts(installation.databaseUrl);
      const delivered = counts.filter(({ state }) => state === 'Delivered');
      return delivered.reduce((sum, { count }) => sum + count, 0) === all * 5;
    },
    PATIENCE_MS,
  );
  const counts = await pipelineCounts(installation.databaseUrl);
  for (const { rows: written, identities } of sources)
    for (const id of [written, identities])
      expect(counts.filter(({ pipeline: of, count }) => of === id && count !== 0)).toEqual([
        { pipeline: id, state: 'Delivered', code: '', count: EVENTS },
      ]);
  for (const { rows: written } of sources)
    expect(await api.call('GET', `/v1/pipelines/${written}/conservation`)).toMatchObject({
      accepted: EVENTS,
      open: 0,
    });
  const ids = await rows(`SELECT connection_id AS source, message_id AS id FROM warehouse.events`);
  expect(ids.map(({ source, id }) => `${String(source)} ${String(id)}`).sort()).toEqual(
    sources.flatMap(({ id, sent }) => sent.map((each) => `${id} ${each.messageId}`)).sort(),
  );
  const found = await rows(
    'SELECT _pipeline AS p, _record_id AS r, email AS e, first_name AS f FROM warehouse.identities',
  );
  expect(found.map(({ p, r, e, f }) => JSON.stringify([p, r, e, f])).sort()).toEqual(
    expectedIdentities().sort(),
  );
});

it('waits for a warehouse in maintenance, and goes on soon after it', async () => {
  const [source] = sources;
  await api.call('PUT', '/v1/warehouse/mode', { mode: 'Maintenance' });
  const before = (await rows('SELECT 1 FROM warehouse.events')).length;
  await post(source!, [event(2, 1)]);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await rows('SELECT 1 FROM warehouse.events')).toHaveLength(before);
  await api.call('PUT', '/v1/warehouse/mode', { mode: 'Normal' });
  const startMs = performance.now();
  await until('the event is written', async () => {
    const written = await rows('SELECT 1 FROM warehouse.events');
    return written.length === before + 1;
  });
  expect(performance.now() - startMs).toBeLessThan(20_000);
});
