import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@penstock/local-kafka';
import { Kafka, logLevel } from 'kafkajs';
import { ApiClient, ApiError } from './harness/api-client';
import { DISTRIBUTED_WITH_WAREHOUSE, EMBEDDED } from './harness/forms';
import { type Installation, showingOutput } from './harness/installation';
import { Receiver } from './harness/receiver';
import { tableTexts } from './harness/table-texts';
import { until } from './harness/until';

jest.setTimeout(300_000);

/** The first of them is erased. */
const PEOPLE = ['ada', 'bob', 'eve', 'joe', 'liz'];
const ERASED = PEOPLE[0] ?? '';

/** What the destinations answer until somebody is erased: it takes events, refuses them for good, cannot take them now. */
const ANSWERS = [200, 400, 503];

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const PYTHON = {
  ...{ language: 'Python', preserveJSON: false, inPaths: ['email'], outPaths: ['email'] },
  source: 'def transform(user):\n  return {"email": user["email"].lower()}',
};

const PREFIX = 'one.';

describe.each([EMBEDDED, DISTRIBUTED_WITH_WAREHOUSE])('$form', ({ form, start }) => {
  const isOnKafka = form === DISTRIBUTED_WITH_WAREHOUSE.form;
  const root = mkdtempSync(join(tmpdir(), 'penstock-kinds-'));

  let installation: Installation;
  let api: ApiClient;
  let receivers: Receiver[];
  let sources: string[];
  /** The write key of each source. */
  let writeKeys: Map<string, string>;
  let sending: string[];
  let importing: string;
  let exporting: string;
  let application: string;
  let exportingUsers: string;

  const test = (title: string, work: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, work),
    );
  };

  const text = (name: string, flags: object = { readOptional: true }) => ({
    ...{ name, type: { kind: 'string' } },
    ...flags,
  });

  /** Texts that are of nobody else. */
  const emailOf = (person: string): string => `${person}-quiet@example.com`;
  const userOf = (person: string, source: string): string => `${person}-quiet-${source}`;

  const makeSource = async (name: string): Promise<string> => {
    const id = await api.createConnection({ name, role: 'Source', connector: 'nodejs' });
    const common = { enabled: true, connection: id };
    await api.createPipeline({ ...common, name: 'Events', target: 'Event' } as never);
    await api.createPipeline({
      ...{ ...common, name: 'Identities', target: 'User' },
      transformation: { mapping: { email: 'traits.email' } },
      outSchema: { kind: 'object', properties: [text('email')] },
    });
    return id;
  };

  const makeDestination = async ({ url }: Receiver): Promise<string> => {
    const connection = await api.createConnection({
      ...{ name: 'Receiver', role: 'Destination', connector: 'http' },
      settings: { url, batchSize: 1 },
    });
    for (const source of sources) await api.link(source, connection);
    return api.createPipeline({
      ...{ name: 'To the receiver', connection, eventType: 'send_values', enabled: true },
      ...{ filter: FILTER, outSchema: OUT_SCHEMA },
      transformation: { mapping: { properties: 'map("user", userId, "message", messageId)' } },
    });
  };

  const makeImport = async (): Promise<string> => {
    const lines = PEOPLE.map(
      (person) => `${userOf(person, 'file')},${emailOf(person).toUpperCase()}`,
    );
    writeFileSync(join(root, 'users.csv'), ['id,email', ...lines, ''].join('\n'));
    const connection = await api.createConnection({
      ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
    });
    return api.createPipeline({
      ...{ name: 'Users', enabled: true, connection, target: 'User' },
      ...{ format: 'csv', path: 'users.csv', formatSettings: { hasColumnNames: true } },
      ...{ userIDColumn: 'id', transformation: { function: PYTHON } },
      inSchema: { kind: 'object', properties: [text('id', {}), text('email', {})] },
      outSchema: { kind: 'object', properties: [text('email')] },
    } as never);
  };

  /** Writes the emails of all profiles to a file. */
  const makeExport = async (): Promise<string> => {
    const connection = await api.createConnection({
      ...{ name: 'Files', role: 'Destination', connector: 'filesystem', settings: {} },
    });
    return api.createPipeline({
      ...{ name: 'Profiles', enabled: true, connection, target: 'User' },
      ...{ format: 'csv', path: 'out.csv', orderBy: 'email' },
      inSchema: { kind: 'object', properties: [text('email')] },
    } as never);
  };

  /** Writes the profiles to an application. */
  const makeApplicationExport = async (): Promise<void> => {
    application = await api.createConnection({
      ...{ name: 'Users', role: 'Destination', connector: 'dummy', settings: { userCount: 0 } },
    });
    exportingUsers = await api.createPipeline({
      ...{ name: 'Users', enabled: true, connection: application, target: 'User' },
      ...{ exportMode: 'CreateOrUpdate', matching: { in: 'email', out: 'email' } },
      inSchema: { kind: 'object', properties: [text('email')] },
      transformation: { mapping: { firstName: 'substring(email, 1, 3)' } },
      outSchema: {
        kind: 'object',
        properties: [
          { name: 'email', type: { kind: 'string', maxLength: 254 }, createRequired: true },
          { name: 'firstName', type: { kind: 'string', maxLength: 100 }, nullable: true },
        ],
      },
    } as never);
  };

  /** Runs a pipeline, which must write so many records. */
  const run = async (pipeline: string, written: number): Promise<void> => {
    const { id } = (await api.call('POST', `/v1/pipelines/${pipeline}/runs`)) as { id: string };
    let found: Record<string, unknown> = {};
    await until(
      () => `the run has ended: ${JSON.stringify(found)}`,
      async () => {
        found = (await api.call('GET', `/v1/pipelines/runs/${id}`)) as Record<string, unknown>;
        expect(found['error']).toBe('');
        return found['endTime'] !== null;
      },
    );
    expect((found['passed'] as number[]).at(-1)).toBe(written);
  };

  const exported = (): string => readFileSync(join(root, 'out.csv'), 'utf8');

  /** Sends once who somebody is, and an event. */
  const post = async (source: string, round: number): Promise<Response> => {
    const name = `source${String(sources.indexOf(source))}`;
    const headers = {
      ...{ 'content-type': 'application/json' },
      authorization: `Bearer ${writeKeys.get(source) ?? ''}`,
    };
    const events = PEOPLE.flatMap((person) => {
      const userId = userOf(person, name);
      const traits = { email: emailOf(person) };
      const id = `${userId} ${String(round)}`;
      return [
        {
          type: 'identify',
          userId,
          anonymousId: `${userId} browser`,
          traits,
          messageId: `${id} i`,
        },
        {
          type: 'track',
          userId,
          anonymousId: `${userId} browser`,
          event: 'E',
          messageId: `${id} t`,
        },
      ];
    });
    const sent = { method: 'POST', headers, body: JSON.stringify(events) };
    const answer = await fetch(`${installation.address}/v1/events`, sent);
    await answer.arrayBuffer();
    return answer;
  };

  /** Sends until it is accepted. */
  const send = async (source: string, round: number): Promise<void> => {
    let last = 0;
    await until(
      () => `the events are accepted: ${String(last)}`,
      async () => (last = (await post(source, round)).status) === 200,
    );
  };

  /** Changes the configuration. @returns the status. */
  const change = async (): Promise<number> => {
    const { address, apiKey } = installation;
    const answer = await fetch(`${address}/v1/workspaces/current`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({ name: 'Shop' }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  interface Profile {
    readonly id: string;
    readonly attributes: { readonly email?: string };
  }

  const profiles = async (): Promise<readonly Profile[]> =>
    ((await api.call('GET', '/v1/profiles?limit=100')) as { profiles: Profile[] }).profiles;

  const listOf = async (
    profile: string,
    list: string,
  ): Promise<readonly Record<string, unknown>[]> => {
    const answer = await api.call('GET', `/v1/profiles/${profile}/${list}?limit=100`);
    return (answer as Record<string, Record<string, unknown>[]>)[list] ?? [];
  };

  const eventsInWarehouse = async (): Promise<readonly string[]> => {
    const { events } = (await api.call('GET', '/v1/events?limit=1000')) as {
      events: { userId: string }[];
    };
    return events.map(({ userId }) => userId);
  };

  interface Conservation {
    readonly accepted: number;
    readonly open: number;
    readonly endings: { readonly Duplicate?: number };
  }

  const conservationOf = async (pipeline: string): Promise<Conservation> =>
    (await api.call('GET', `/v1/pipelines/${pipeline}/conservation`)) as Conservation;

  /** Tables of services in which something of the person is left; the log keeps it until its retention ends. */
  const tablesWithTraces = async (): Promise<readonly string[]> =>
    [...(await tableTexts(installation.databaseUrl))]
      .filter(([name, all]) => all.includes(`${ERASED}-quiet`) && !name.startsWith('penstock_log.'))
      .map(([name]) => name);

  let person = '';

  beforeAll(async () => {
    installation = await start({
      PENSTOCK_FILES_ROOT: root,
      PENSTOCK_CONNECTORS: 'nodejs,http,filesystem,dummy',
      ...(isOnKafka && { PENSTOCK_PREFIX: PREFIX }),
    });
    api = new ApiClient(installation.address, installation.apiKey);
    receivers = await Promise.all(ANSWERS.map(() => Receiver.open()));
    receivers.forEach((receiver, at) => (receiver.status = ANSWERS[at] ?? 200));
    sources = [await makeSource('Shop'), await makeSource('Blog')];
    sending = [];
    for (const receiver of receivers) sending.push(await makeDestination(receiver));
    importing = await makeImport();
    exporting = await makeExport();
    await makeApplicationExport();
    writeKeys = new Map();
    for (const source of sources) writeKeys.set(source, await api.writeKeyOf(source));
    await api.call('PUT', '/v1/identity-resolution/settings', {
      ...{ runOnBatchImport: true, eventDelay: 1, identifiers: ['email'] },
    });
  });

  afterAll(async () => {
    await installation.destroy();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    rmSync(root, { recursive: true, force: true });
  });

  test('answers 503 while the log is away, and goes on by itself', async () => {
    const [source = ''] = sources;
    await installation.stopLog();
    const [answer, changed] = await Promise.all([post(source, 1), change()]);
    expect([answer.status, changed]).toEqual([503, 503]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await installation.resumeLog();
    // What was refused may have been written: it is sent again, and delivered once.
    await send(source, 1);
  });

  test('takes events while the database is away, if the log is not in it, and refuses changes with 503', async () => {
    const [, source = ''] = sources;
    await installation.stopDatabase('gone');
    const sent = isOnKafka ? send(source, 1) : post(source, 1);
    expect(await change()).toBe(503);
    await sent;
    await installation.resumeDatabase();
    if (!isOnKafka) await send(source, 1);
    await until('changes are made again', async () => (await change()) === 200);
  });

  test('delivers the events of a person of two sources, imports a file by a function, and makes one profile of it', async () => {
    await run(importing, PEOPLE.length);
    const count = 2 * PEOPLE.length;
    await until('everything has come', async () => {
      const [, refusing] = sending;
      const refused = await api.call(
        'GET',
        `/v1/pipelines/deliveries?pipeline=${refusing ?? ''}&state=Rejected`,
      );
      const { deliveries } = refused as { deliveries: unknown[] };
      const [taking, , away] = receivers;
      const users = new Set(away?.attempts.map(({ body }) => body['user']));
      // Outages may have repeated what was not committed.
      const messages = new Set(taking?.delivered.map(({ body }) => body['message']));
      return messages.size === count && deliveries.length === count && users.size > 0;
    });
    await until('everybody is one profile, with all events', async () => {
      const all = await profiles();
      const found = all.find(({ attributes }) => attributes.email === emailOf(ERASED));
      person = found?.id ?? '';
      if (all.length !== PEOPLE.length || person === '') return false;
      const [identities, events] = [
        await listOf(person, 'identities'),
        await listOf(person, 'events'),
      ];
      return identities.length === 3 && events.length === 4;
    });
    expect(await tablesWithTraces()).not.toEqual([]);
  });

  test('exports the profiles, and delivers everything again in a replay', async () => {
    await run(exporting, PEOPLE.length);
    expect(exported()).toBe(['email', ...PEOPLE.map(emailOf), ''].join('\n'));
    const [pipeline = ''] = sending;
    const [taking] = receivers;
    const path = `/v1/pipelines/${pipeline}/replays`;
    const before = taking?.delivered.length ?? 0;
    const window = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', mode: 'deliver' };
    const { id } = (await api.call('POST', path, window)) as { id: string };
    let replay: Record<string, unknown> = {};
    await until(
      () => `the replay has ended: ${JSON.stringify(replay)}`,
      async () => {
        replay = (await api.call('GET', `${path}/${id}`)) as Record<string, unknown>;
        return replay['endedAt'] !== null;
      },
    );
    const count = 2 * PEOPLE.length;
    expect(replay).toMatchObject({ state: 'Succeeded', deliveries: { delivered: count } });
    const again = taking?.delivered.slice(before).map(({ body }) => body['message']);
    expect([again?.length, new Set(again).size]).toEqual([count, count]);
  });

  test('leaves nothing of an erased person, though everything is killed meanwhile, and everything of others', async () => {
    const { id } = (await api.call('POST', `/v1/profiles/${person}/erase`)) as { id: string };
    await Promise.all(installation.services.map((service) => service.kill9()));
    await Promise.all(installation.services.map((service) => service.start()));
    let erasure: Record<string, unknown> = {};
    await until('the person is erased', async () => {
      erasure = (await api.call('GET', `/v1/erasures/${id}`)) as Record<string, unknown>;
      return erasure['endedAt'] !== null;
    });
    expect(erasure).toMatchObject({
      ...{ id, profile: person, error: '' },
      counts: { profiles: 1, identities: 3, events: 4 },
    });
    await expect(api.call('GET', `/v1/profiles/${person}`)).rejects.toMatchObject({ status: 404 });
    const others = PEOPLE.filter((each) => each !== ERASED);
    expect((await profiles()).map(({ attributes }) => attributes.email).sort()).toEqual(
      others.map(emailOf),
    );
    expect(await eventsInWarehouse()).toHaveLength(4 * others.length);
    await until('it is published that the profile is gone', async () => {
      const past = await listOf(person, 'history').catch(() => []);
      return past.length === 1 && past[0]?.['reason'] === 'erased';
    });
    await until(
      'nothing is left but on the log',
      async () => (await tablesWithTraces()).length === 0,
    );
    const { facts } = (await api.call('GET', '/v1/audit?type=ErasureEnded')) as { facts: object[] };
    expect(facts).toHaveLength(1);
    expect(JSON.stringify(facts)).not.toContain(ERASED);
  });

  test('delivers what waits of others, and every delivery has ended once', async () => {
    const [, , away] = receivers;
    const before = away?.attempts.length ?? 0;
    if (away) away.status = 200;
    await until('nothing is open any more', async () => {
      const all = await Promise.all(sending.map(conservationOf));
      return all.every(({ open }) => open === 0);
    });
    for (const pipeline of sending) {
      const { accepted, endings } = await conservationOf(pipeline);
      expect(accepted - (endings.Duplicate ?? 0)).toBe(4 * PEOPLE.length);
    }
    const late = away?.attempts.slice(before).map(({ body }) => String(body['user'])) ?? [];
    expect(late.filter((user) => user.startsWith(ERASED))).toEqual([]);
    expect(new Set(away?.delivered.map(({ body }) => body['message'])).size).toBe(
      2 * (PEOPLE.length - 1),
    );
  });

  test('leaves out what comes again, from the file and from events', async () => {
    await run(importing, PEOPLE.length);
    for (const source of sources) await send(source, 2);
    const others = PEOPLE.filter((each) => each !== ERASED);
    await until('the events of others are there', async () => {
      return (await eventsInWarehouse()).length === 8 * others.length;
    });
    await until('they are resolved', async () => {
      const latest = await api.call('GET', '/v1/identity-resolution/latest');
      return (latest as { pending: number }).pending === 0;
    });
    expect((await profiles()).map(({ attributes }) => attributes.email).sort()).toEqual(
      others.map(emailOf),
    );
    await until('nothing is open any more', async () => {
      const all = await Promise.all(sending.map(conservationOf));
      return all.every(({ open }) => open === 0);
    });
    await run(exporting, others.length);
    expect(exported()).toBe(['email', ...others.map(emailOf), ''].join('\n'));
    await run(exportingUsers, others.length);
    expect(await api.call('GET', `/v1/connections/${application}/dummy`)).toMatchObject({
      ...{ creates: others.length, updates: 0 },
    });
    expect(await tablesWithTraces()).toEqual([]);
    await expect(api.call('POST', `/v1/profiles/${person}/erase`)).rejects.toBeInstanceOf(ApiError);
  });

  if (!isOnKafka) return;

  test('keeps to its topics in a cluster, and a process that would use others ends and names the setting', async () => {
    const { brokers, configuration } = installation;
    const [port = 0] = await freePorts(1);
    const others = { PENSTOCK_PREFIX: 'two.', PENSTOCK_OPS_PORT: String(port) };
    const { exitCode, output } = await configuration.run(
      `${configuration.name}/dist/main.js`,
      others,
    );
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(
      /uses the log .*one\., and this process would use .*PENSTOCK_EVENTS_FROM/,
    );
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const topics = await admin.listTopics().finally(() => admin.disconnect());
    const own = topics.filter((name) => !name.startsWith('__'));
    expect(own).toContain(`${PREFIX}events`);
    expect(own.filter((name) => !name.startsWith(PREFIX))).toEqual([]);
  });
});
