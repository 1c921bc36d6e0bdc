import {
  FIRST_PROFILE_SCHEMA,
  type PipelineId,
  type WarehousePipelineState,
  type WarehouseState,
} from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { freshDatabase, type FreshDatabase } from '@penstock/test-servers';
import { createWarehouses, settingsOfUrl } from '@penstock/warehouses';
import { writeJson } from '@penstock/schema';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import {
  destinationState,
  Installation,
  seals,
  SOURCE,
  sourceState,
} from './testing/installation.fixture';
import { pipelineState, WORKSPACE } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

const platform = createWarehouses({ allow: ['127.0.0.0/8'] }).get('PostgreSQL');
/** Too long for an index, and not compressible. */
const LONG = Array.from({ length: 6_000 }, () =>
  randomBytes(2).toString('base64').slice(0, 2),
).join('');
const EVENTS = 'pipeline000rows1' as PipelineId;
const IDENTITIES = 'pipeline000iden1' as PipelineId;

let installation: Installation;
let receiver: Receiver;
let database: FreshDatabase;
let client: Client;
let version: number;

/** Over the port: a URL of settings knows no socket. */
const settingsIn = (url: string) => {
  const address = new URL(url);
  address.search = '?schema=warehouse';
  return settingsOfUrl(address.href);
};

const warehouse = (mode: WarehouseState['mode'] = 'Normal', url = database.url): WarehouseState => {
  version += 1;
  const settings = seals.seal(writeJson(settingsIn(url)), WORKSPACE);
  return {
    ...{ kind: 'warehouse', id: WORKSPACE, platform: 'PostgreSQL', mcpSettings: null },
    ...{ settings, mode, version },
  };
};

const writing = (
  id: PipelineId,
  target: 'User' | 'Event',
  members: Partial<WarehousePipelineState> = {},
): WarehousePipelineState => ({
  ...{ kind: 'pipeline', id, workspace: WORKSPACE, connection: SOURCE, target, eventType: null },
  ...{ name: 'w', enabled: true, filter: null, transformation: null, outSchema: null },
  ...{ version: 1, deleted: false, ...members },
});

const emails = writing(IDENTITIES, 'User', {
  transformation: { mapping: { email: 'properties.email' }, function: null },
  outSchema: printType({
    ...FIRST_PROFILE_SCHEMA.schema,
    properties: FIRST_PROFILE_SCHEMA.schema.properties.slice(0, 1),
  }),
});

beforeEach(async () => {
  version = 0;
  receiver = await Receiver.open();
  installation = await Installation.open();
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  const settings = settingsIn(database.url);
  const connected = await platform!.connect(settings, AbortSignal.timeout(20_000));
  await connected.initialise(WORKSPACE);
  await connected.close();
});

afterEach(async () => {
  await installation.close();
  await client.end();
  await database.drop();
  await receiver.close();
});

const accept = (from: number, to: number, more: object = {}): Promise<void> =>
  installation.accept(
    ...Array.from({ length: to - from }, (_, at) => ({
      ...{ user: `a${(from + at) % 7}`, messageId: `m${from + at}` },
      ...more,
    })),
  );

const written = async (): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM warehouse.events',
  );
  return rows[0]!.n;
};

const configure = (...pipelines: readonly WarehousePipelineState[]): Promise<void> =>
  installation.configure(warehouse(), sourceState(), ...pipelines);

it('writes each accepted event once, and the identities in them, beside an application', async () => {
  await installation.configure(
    ...[warehouse(), sourceState(), destinationState(receiver.url), pipelineState()],
    ...[writing(EVENTS, 'Event'), emails],
  );
  await installation.start();
  await accept(0, 50);
  await accept(0, 50);
  await accept(50, 60, { userId: 'u', properties: '{"email":"u@example.com"}' });
  await until(async () => (await installation.counts())['Delivered'] === 180);
  expect(await written()).toBe(60);
  expect(receiver.taken).toHaveLength(60);
  const { rows } = await client.query(
    `SELECT _record_id AS id, _anonymous AS anonymous, cardinality(_anonymous_ids) AS linked, email
     FROM warehouse.identities ORDER BY _anonymous, _record_id`,
  );
  expect(rows).toEqual([
    { id: 'u', anonymous: false, linked: 7, email: 'u@example.com' },
    ...Array.from({ length: 7 }, (_, at) => ({
      ...{ id: `a${at}`, anonymous: true, linked: 0, email: null },
    })),
  ]);
  await until(() => installation.noted.includes(WORKSPACE));
});

it('rejects an event that the warehouse refuses, with its reason, and writes the others', async () => {
  await configure(writing(EVENTS, 'Event'));
  await installation.start();
  await accept(0, 20);
  await accept(20, 21, { properties: '{"n":1e200000}' });
  await accept(21, 22, { userId: LONG });
  await accept(22, 40);
  await until(async () => (await installation.counts())['Delivered'] === 38);
  await until(async () => (await installation.storedDeliveries()).length === 2);
  expect(await installation.counts()).toEqual({ Delivered: 38, 'Rejected Refused': 2 });
  expect(await written()).toBe(38);
  expect(installation.noted).toEqual([]);
});

it.each(['Inspection'] as const)(
  'waits in mode %s without holding an application back, and goes on after it',
  async (mode) => {
    await installation.configure(
      ...[warehouse(mode), sourceState(), destinationState(receiver.url), pipelineState()],
      writing(EVENTS, 'Event'),
    );
    await installation.start();
    await accept(0, 300);
    await until(() => receiver.taken.length === 300);
    expect(await written()).toBe(0);
    await installation.configure(warehouse('Normal'));
    await until(async () => (await installation.counts())['Delivered'] === 600);
    expect(await written()).toBe(300);
  },
);

it('waits for a warehouse that is away, and goes on with its new settings', async () => {
  const away = 'postgres://nobody@127.0.0.1:1/nothing';
  await installation.configure(
    ...[warehouse('Normal', away), sourceState(), destinationState(receiver.url), pipelineState()],
    ...[writing(EVENTS, 'Event'), emails],
  );
  await installation.start();
  await accept(0, 300);
  await until(async () => (await installation.counts())['Delivered'] === 300);
  expect(receiver.taken).toHaveLength(300);
  await installation.configure(warehouse());
  await until(async () => (await installation.counts())['Delivered'] === 900);
  expect(await written()).toBe(300);
});

it('opens the warehouse anew when its connections are lost or the role was taken over', async () => {
  await configure(writing(EVENTS, 'Event'));
  await installation.start();
  for (let round = 0; round < 3; round += 1) {
    await accept(round * 100, round * 100 + 100);
    if (round === 0) await client.query(`DELETE FROM warehouse._fences`);
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'penstock-warehouse' AND datname = current_database()`,
    );
  }
  await until(async () => (await written()) === 300);
  await until(async () => (await installation.counts())['Delivered'] === 300);
});

it('does not write under a configuration that the warehouse has left behind', async () => {
  await configure(writing(EVENTS, 'Event'));
  const settings = settingsIn(database.url);
  const options = { workspace: WORKSPACE, profiles: FIRST_PROFILE_SCHEMA, keyedHash: String };
  const other = await platform!.openWriter(settings, options, AbortSignal.timeout(20_000));
  await other.beginEvents({ role: 'events', epoch: 2 });
  await other.close();
  await installation.start();
  await accept(0, 10);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await written()).toBe(0);
  await installation.configure(warehouse());
  await until(async () => (await written()) === 10);
});

it('parks what waits for the warehouse when its pipeline is deleted', async () => {
  await installation.configure(warehouse('Maintenance'), sourceState(), writing(EVENTS, 'Event'));
  await installation.start();
  await accept(0, 10);
  await installation.configure({ ...writing(EVENTS, 'Event'), version: 2, deleted: true });
  await until(async () => (await installation.counts())['Parked Deleted'] === 10);
});
