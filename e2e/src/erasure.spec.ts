import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient, ApiError } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { Receiver } from './harness/receiver';
import { tableTexts } from './harness/table-texts';
import { until } from './harness/until';

jest.setTimeout(240_000);

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

const root = mkdtempSync(join(tmpdir(), 'penstock-erasure-'));

let installation: EmbeddedInstallation;
let api: ApiClient;
let receivers: Receiver[];
let sources: string[];
let sending: string[];
let importing: string;

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
  const lines = PEOPLE.map((person) => `${userOf(person, 'file')},${emailOf(person)}`);
  writeFileSync(join(root, 'users.csv'), ['id,email', ...lines, ''].join('\n'));
  const connection = await api.createConnection({
    ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
  });
  return api.createPipeline({
    ...{ name: 'Users', enabled: true, connection, target: 'User' },
    ...{ format: 'csv', path: 'users.csv', formatSettings: { hasColumnNames: true } },
    ...{ userIDColumn: 'id', transformation: { mapping: { email: 'email' } } },
    inSchema: { kind: 'object', properties: [text('id', {}), text('email', {})] },
    outSchema: { kind: 'object', properties: [text('email')] },
  } as never);
};

const runImport = async (): Promise<void> => {
  const { id } = (await api.call('POST', `/v1/pipelines/${importing}/runs`)) as { id: string };
  await until('the import has ended', async () => {
    const run = (await api.call('GET', `/v1/pipelines/runs/${id}`)) as Record<string, unknown>;
    expect(run['error']).toBe('');
    if (run['endTime'] !== null) expect((run['passed'] as number[]).at(-1)).toBe(PEOPLE.length);
    return run['endTime'] !== null;
  });
};

/** Who somebody is, and an event, from a source. */
const send = async (source: string, round: number): Promise<void> => {
  const name = `source${String(sources.indexOf(source))}`;
  const headers = {
    ...{ 'content-type': 'application/json' },
    authorization: `Bearer ${await api.writeKeyOf(source)}`,
  };
  const events = PEOPLE.flatMap((person) => {
    const userId = userOf(person, name);
    const traits = { email: emailOf(person) };
    const id = `${userId} ${String(round)}`;
    return [
      { type: 'identify', userId, anonymousId: `${userId} browser`, traits, messageId: `${id} i` },
      { type: 'track', userId, anonymousId: `${userId} browser`, event: 'E', messageId: `${id} t` },
    ];
  });
  await until('the events are accepted', async () => {
    const sent = { method: 'POST', headers, body: JSON.stringify(events) };
    return (await fetch(`${installation.address}/v1/events`, sent)).status === 200;
  });
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
  installation = await EmbeddedInstallation.start({ PENSTOCK_FILES_ROOT: root });
  api = new ApiClient(installation.address, installation.apiKey);
  receivers = await Promise.all(ANSWERS.map(() => Receiver.open()));
  receivers.forEach((receiver, at) => (receiver.status = ANSWERS[at] ?? 200));
  sources = [await makeSource('Shop'), await makeSource('Blog')];
  sending = [];
  for (const receiver of receivers) sending.push(await makeDestination(receiver));
  importing = await makeImport();
  await api.call('PUT', '/v1/identity-resolution/settings', {
    ...{ runOnBatchImport: true, eventDelay: 1, identifiers: ['email'] },
  });
});

afterAll(async () => {
  await installation.destroy();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  rmSync(root, { recursive: true, force: true });
});

it('is of a person of two sources of events and a file', async () => {
  for (const source of sources) await send(source, 1);
  await runImport();
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
    return taking?.delivered.length === count && deliveries.length === count && users.size > 0;
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

it('leaves nothing of the person, though everything is killed meanwhile, and everything of others', async () => {
  const { id } = (await api.call('POST', `/v1/profiles/${person}/erase`)) as { id: string };
  await installation.penstock.kill9();
  await installation.penstock.start();
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

it('delivers what waits of others, and every delivery has ended once', async () => {
  const [, , away] = receivers;
  const before = away?.attempts.length ?? 0;
  if (away) away.status = 200;
  await until('nothing is open any more', async () => {
    const all = await Promise.all(sending.map(conservationOf));
    return all.every(({ open }) => open === 0);
  });
  for (const pipeline of sending)
    expect(await conservationOf(pipeline)).toMatchObject({ accepted: 4 * PEOPLE.length });
  const late = away?.attempts.slice(before).map(({ body }) => String(body['user'])) ?? [];
  expect(late.filter((user) => user.startsWith(ERASED))).toEqual([]);
  expect(new Set(away?.delivered.map(({ body }) => body['message'])).size).toBe(
    2 * (PEOPLE.length - 1),
  );
});

it('leaves out what comes again, from the file and from events', async () => {
  await runImport();
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
  expect(await tablesWithTraces()).toEqual([]);
  await expect(api.call('POST', `/v1/profiles/${person}/erase`)).rejects.toBeInstanceOf(ApiError);
});
