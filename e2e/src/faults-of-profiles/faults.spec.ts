import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { Client } from 'pg';
import { ApiClient } from '../harness/api-client';
import { startDatabase } from '../harness/database';
import { eventually } from '../harness/eventually';
import { freeze } from '../harness/freeze';
import { showingOutput } from '../harness/installation';
import { Receiver } from '../harness/receiver';
import { SeededRandom } from '../harness/seeded-random';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { formsOf, sized } from '../router-faults/sizes';
import { liveProfiles } from './live-profiles';
import { People, recordOf } from './people';

jest.setTimeout(sized(480_000, 900_000));

const ROUNDS = sized(3, 40);
/** Events of each source in a round. */
const EVENTS = sized(40, 60);
const IN_FILE = 40;
/** Of each service but the executors, of which there are always two. */
const REPLICAS = sized(1, 2);
/** So small that each resolution has several batches. */
const BATCH = '15';
const PATIENCE_MS = 180_000;

const AUDIT_VERIFY = 'run-executor/dist/audit-verify-main.js';

const random = SeededRandom.fromEnvironment();

const FORMS = formsOf(
  { form: 'on PostgreSQL', brokers: 0 as const },
  { form: 'on Kafka', brokers: 1 as const },
);

interface Latest {
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly error: string;
  readonly pending: number;
}

describe.each(FORMS)('profiles $form', ({ brokers }) => {
  const people = new People(random, IN_FILE);
  let folder: string;
  let warehouse: EmbeddedPostgres;
  let installation: SeveralRouters;
  let executors: ServiceProcess[];
  /** The first takes everything, the second fails for a while, the third refuses everything. */
  let receivers: Receiver[];
  let api: ApiClient;
  let sources: { readonly id: string; readonly writeKey: string }[];
  let files: string;
  /** Imports the file. */
  let imports: string;
  /** Of events. */
  let pipelines: string[];

  const text = (name: string, flags: object = {}) => ({ name, type: { kind: 'string' }, ...flags });
  const schema = (...properties: readonly object[]) => ({ kind: 'object', properties });
  const email = text('email', { readOptional: true });

  const makePipeline = async (connection: string, target: string, members: object = {}) => {
    const id = await api.createPipeline({
      ...{ name: target, enabled: true, connection, target, ...members },
    });
    if (target === 'Event' || !('path' in members)) pipelines.push(id);
    return id;
  };

  const makeDestination = async (receiver: Receiver, members: object): Promise<string> => {
    const id = await api.createConnection({
      ...{ name: 'Application', role: 'Destination', connector: 'http' },
      settings: { url: receiver.url, batchSize: 20 },
    });
    await makePipeline(id, 'Event', { eventType: 'send_event', ...members });
    return id;
  };

  const makeSource = async (name: string, destinations: readonly string[]) => {
    const id = await api.createConnection({ name, role: 'Source', connector: 'nodejs' });
    for (const destination of destinations) await api.link(id, destination);
    await makePipeline(id, 'Event');
    const transformation = { mapping: { email: 'traits.email' } };
    await makePipeline(id, 'User', { transformation, outSchema: schema(email) });
    return { id, writeKey: await api.writeKeyOf(id) };
  };

  const makeFile = async (): Promise<void> => {
    writeFileSync(join(folder, 'users.csv'), people.file);
    files = await api.createConnection({
      ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
    });
    imports = await makePipeline(files, 'User', {
      ...{ format: 'csv', path: 'users.csv', formatSettings: { hasColumnNames: true } },
      ...{ userIDColumn: 'id', transformation: { mapping: { email: 'email' } } },
      ...{ inSchema: schema(text('id'), text('email')), outSchema: schema(email) },
    });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-people-'));
    chmodSync(folder, 0o711);
    warehouse = await startDatabase(folder);
    receivers = await Promise.all([Receiver.open(), Receiver.open(), Receiver.open()]);
    // Without the socket, whose folder other users cannot enter.
    const url = new URL(warehouse.url);
    url.search = '?schema=warehouse';
    installation = await SeveralRouters.start({
      ...{ gateways: REPLICAS, routers: REPLICAS, pipelineServices: REPLICAS, brokers },
      env: {
        ...{ PENSTOCK_WAREHOUSE_URL: url.href, PENSTOCK_FILES_ROOT: folder },
        PENSTOCK_RESOLUTION_BATCH_IDENTITIES: BATCH,
      },
    });
    executors = [
      await installation.makeSpare('run-executor'),
      await installation.makeSpare('run-executor'),
    ];
    await Promise.all(executors.map((executor) => executor.start()));
    api = new ApiClient(installation.address, installation.apiKey);
    pipelines = [];
    const filter = { logical: 'and', conditions: [{ property: 'userId', operator: 'exists' }] };
    const destinations = [
      await makeDestination(receivers[0]!, {}),
      await makeDestination(receivers[1]!, { filter }),
      await makeDestination(receivers[2]!, {}),
    ];
    receivers[2]!.status = 400;
    sources = [await makeSource('Shop', destinations), await makeSource('Blog', destinations)];
    await makeFile();
    const settings = { runOnBatchImport: true, eventDelay: 1, identifiers: ['email'] };
    await api.call('PUT', '/v1/identity-resolution/settings', settings);
  });

  afterAll(async () => {
    await installation.destroy();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await warehouse.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const rows = async <Row extends object>(query: string): Promise<readonly Row[]> => {
    const client = new Client({ connectionString: warehouse.url });
    await client.connect();
    try {
      return (await client.query<Row>(query)).rows;
    } finally {
      await client.end();
    }
  };

  const say = async (): Promise<void> => {
    for (const { id, writeKey } of sources) {
      const said = Array.from({ length: EVENTS }, () => people.next(id));
      const body = JSON.stringify(said.map((each) => ({ type: 'identify', ...each })));
      const headers = { authorization: `Bearer ${writeKey}`, 'content-type': 'application/json' };
      const { address } = random.pick(installation.gateways);
      await until('the events are accepted', async () => {
        const url = `${address}/v1/events`;
        const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
        return answer?.status === 200;
      });
    }
  };

  /** Refused while one is under way. */
  const ask = async (path: string, body?: object): Promise<boolean> => {
    try {
      await api.call('POST', path, body);
      return true;
    } catch (error) {
      if (/OperationAlreadyExecuting|PipelineAlreadyRunning/.test(String(error))) return false;
      throw error;
    }
  };

  const kill = async (service: ServiceProcess): Promise<void> => {
    await service.kill9();
    await service.start();
  };

  const freezeForAWhile = async (executor: ServiceProcess): Promise<void> => {
    const thaw = freeze(executor.pid ?? 0);
    await sleep(random.below(3_000));
    thaw();
  };

  const killWarehouse = async (): Promise<void> => {
    process.kill(warehouse.pid, 'SIGKILL');
    await warehouse.stop();
    warehouse = await startDatabase(folder, warehouse.port);
  };

  const killRouter = (): Promise<void> => kill(random.pick(installation.routers));

  /** What happens in a round: one fault in the long form, several at once in the normal one. */
  const faults: readonly (() => Promise<unknown>)[] = sized(
    [
      () => Promise.all([kill(executors[0]!), killRouter()]),
      () => Promise.all([freezeForAWhile(executors[0]!), killWarehouse()]),
      () => Promise.all([kill(executors[1]!), installation.killDatabase()]),
    ],
    [
      () => kill(executors[0]!),
      () => kill(executors[1]!),
      () => freezeForAWhile(random.pick(executors)),
      killRouter,
      killWarehouse,
      () => installation.killDatabase(),
      () => kill(random.pick(installation.services)),
    ],
  );

  const round = async (fault: () => Promise<unknown>): Promise<void> => {
    await ask('/v1/identity-resolution/start', { full: random.below(2) > 1 });
    await Promise.all([say(), ask(`/v1/pipelines/${imports}/runs`)]);
    await sleep(random.below(800));
    receivers[1]!.status = random.pick([200, 500]);
    await fault();
  };

  const settle = async (): Promise<void> => {
    receivers[1]!.status = 200;
    await until('the file is imported', () => ask(`/v1/pipelines/${imports}/runs`), PATIENCE_MS);
    const wanted = sources.length * ROUNDS * EVENTS;
    const unended = async () => {
      const path = (pipeline: string) => `/v1/pipelines/${pipeline}/conservation`;
      const all = await Promise.all(pipelines.map((each) => api.call('GET', path(each))));
      return (all as { accepted: number; open: number }[]).filter(
        ({ accepted, open }) =>
          open > 0 || (accepted !== wanted && accepted !== wanted / sources.length),
      );
    };
    expect(await eventually(unended, PATIENCE_MS)).toEqual([]);
    const identities = people.identities(files).size;
    await until(
      'everything is resolved',
      async () => {
        const { endTime, pending } = (await api.call(
          'GET',
          '/v1/identity-resolution/latest',
        )) as Latest;
        const [found] = await rows<{ all: number; open: number }>(
          `SELECT count(*)::int AS all, count(*) FILTER (WHERE _profile_id IS NULL)::int AS open
             FROM warehouse._identities`,
        );
        return endTime !== null && pending === 0 && found?.all === identities && found.open === 0;
      },
      PATIENCE_MS,
    );
  };

  const profileOf = async (): Promise<ReadonlyMap<string, string>> => {
    const found = await rows<{ id: string; profile: string }>(
      `SELECT _connection || ' ' || _record_id AS id, _profile_id AS profile FROM warehouse._identities`,
    );
    return new Map(found.map(({ id, profile }) => [id, profile]));
  };

  const expectPersons = (profiles: ReadonlyMap<string, string>): void => {
    const persons = new Map<string, string[]>();
    for (const [id, profile] of profiles)
      persons.set(profile, [...(persons.get(profile) ?? []), id]);
    expect([...persons.values()].map((ids) => ids.sort()).sort()).toEqual(people.persons(files));
  };

  /** Each event is there once, and of the profile of its identity. */
  const expectEvents = async (profiles: ReadonlyMap<string, string>): Promise<void> => {
    const expected = sources.flatMap(({ id }) =>
      people
        .of(id)
        .map((said) => [said.messageId, profiles.get(`${id} ${recordOf(said)}`)].join(' ')),
    );
    await until('the events are moved', async () => {
      const found = await rows<{ event: string }>(
        `SELECT message_id || ' ' || profile_id AS event FROM warehouse.events`,
      );
      const events = found.map(({ event }) => event).sort();
      return JSON.stringify(events) === JSON.stringify(expected.sort());
    });
  };

  const expectFacts = async (profiles: ReadonlyMap<string, string>): Promise<void> => {
    const log = installation.openLog();
    try {
      const expected = [...new Set(profiles.values())].sort();
      await until(
        'the facts are published',
        async () => JSON.stringify(await liveProfiles(log)) === JSON.stringify(expected),
      );
    } finally {
      await log.close();
    }
  };

  it(
    'are as if nothing had happened, whoever is killed while people are resolved',
    showingOutput(
      () => ({ services: [...installation.services, ...executors] }),
      async () => {
        const order = random.shuffled(faults);
        for (let n = 0; n < ROUNDS; n += 1) await round(order[n % order.length]!);
        await settle();
        const profiles = await profileOf();
        expectPersons(profiles);
        await expectEvents(profiles);
        await expectFacts(profiles);
        expect(await installation.configuration.run(AUDIT_VERIFY)).toMatchObject({
          exitCode: 0,
          output: expect.stringContaining('no difference') as string,
        });
      },
    ),
  );
});
