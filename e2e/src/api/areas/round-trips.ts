import { isDeepStrictEqual } from 'node:util';
import { type ErrorBody, json } from '../refusal';
import type { Run } from '../table';
import type { Answer, Json, World } from '../world';

/** An object whose answer to a GET is sent back. */
interface Trip {
  /** Creates the object, or finds it. @returns its path. */
  readonly path: (world: World) => string | Promise<string>;
  /** Members that a PUT takes. */
  readonly taken: readonly string[];
  /** Members of the answer that a PUT takes with any value. */
  readonly ignored: readonly string[];
}

const CONNECTION = {
  taken: ['name', 'settings', 'delivery'],
  ignored: ['health', 'pipelines', 'version'],
};
const PIPELINE = {
  taken: ['name', 'enabled', 'filter', 'transformation', 'outSchema'],
  ignored: ['health', 'running', 'nextRun', 'version'],
};

const connection = (body: object, links?: (world: World) => string): Trip => ({
  ...CONNECTION,
  path: async (world) => {
    const linkedConnections = links === undefined ? [] : [links(world)];
    const id = await world.made('POST /v1/connections', {
      name: 'Sent back',
      linkedConnections,
      ...body,
    });
    return `/v1/connections/${id}`;
  },
});

const pipeline = (body: object): Trip => ({
  ...PIPELINE,
  path: async (world) => {
    const id = await world.made('POST /v1/pipelines', {
      name: 'Sent back',
      connection: world.ids.destination,
      target: 'Event',
      eventType: 'send_values',
      ...body,
    });
    return `/v1/pipelines/${id}`;
  },
});

const PROPERTIES = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};
const HTTP = { role: 'Destination', connector: 'http', settings: { url: 'https://example.com/' } };

const TRIPS: Readonly<Record<string, Trip>> = {
  'an SDK with a link': connection(
    { role: 'Source', connector: 'javascript', settings: { ip: 'mask' } },
    ({ ids }) => ids.destination,
  ),
  'a webhook': connection({ role: 'Source', connector: 'webhook' }),
  'an application as a source': connection({ role: 'Source', connector: 'dummy', settings: {} }),
  'a destination with a link, a sending mode and every member of delivery': connection(
    {
      ...HTTP,
      sendingMode: 'Server',
      delivery: { ordering: 'none', maxAge: 172_800, timeout: 10 },
    },
    ({ ids }) => ids.source,
  ),
  'a destination with a secret, without a sending mode': connection({
    ...HTTP,
    sendingMode: null,
    settings: { ...HTTP.settings, auth: { type: 'bearer', token: 'a-secret-token-to-keep' } },
  }),
  'a test application as a destination': connection({
    role: 'Destination',
    connector: 'dummy',
    settings: {
      operationDelay: '1ms-2ms',
      failures: [{ operation: 'send', at: 9, times: 1, status: 500 }],
    },
  }),
  'a pipeline with filter and mapping': pipeline({
    enabled: true,
    filter: {
      logical: 'or',
      conditions: [{ property: 'userId', operator: 'is', values: ['9007199254740993'] }],
    },
    transformation: { mapping: { properties: 'properties' } },
    outSchema: PROPERTIES,
  }),
  'a pipeline with a function': pipeline({
    transformation: {
      function: {
        source: 'const transform = (event) => ({ properties: 1 })',
        language: 'JavaScript',
        preserveJSON: false,
        inPaths: ['userId'],
        outPaths: ['properties'],
      },
    },
    outSchema: PROPERTIES,
  }),
  'a pipeline with nothing': pipeline({ eventType: 'send_event' }),
  'the workspace': {
    path: () => '/v1/workspaces/current',
    taken: ['name'],
    ignored: ['version'],
  },
};

const without = (object: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Another value of the same type, where there is one. */
const other = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...(value as unknown[]), 'another'];
  if (typeof value === 'object' && value !== null) return { ...value, another: true };
  return 'another';
};

const pathsOf = ({ text }: Answer): readonly string[] =>
  ((JSON.parse(text) as ErrorBody).error.details ?? []).map(({ path }) => path);

/** Checks that the answer to a GET is taken as it is, and with another name, which then is all that has changed. */
const goesBack = async (world: World, path: string, { ignored }: Trip): Promise<void> => {
  const { text } = await world.ask(`GET ${path}`);
  const before = JSON.parse(text) as Json;
  const put = (body: string): Promise<Answer> => world.ask(`PUT ${path}`, json(body));
  expect(await put(text)).toMatchObject({ status: 200, text: '' });
  const after = await world.done(`GET ${path}`);
  expect(without(after, ['version'])).toEqual(without(before, ['version']));
  const renamed = { ...after, name: 'Renamed' };
  expect(await put(JSON.stringify(renamed))).toMatchObject({ status: 200, text: '' });
  const shown = await world.done(`GET ${path}`);
  expect(without(shown, ['version'])).toEqual(without(renamed, ['version']));
  const strange = Object.fromEntries(ignored.map((name) => [name, 'another']));
  const { name } = before;
  expect(await put(JSON.stringify({ ...shown, ...strange, name }))).toMatchObject({ status: 200 });
};

/** Checks that each member which cannot be changed is refused by its name, and that nothing was changed. */
const refusesOthers = async (world: World, path: string, { taken, ignored }: Trip) => {
  const present = await world.done(`GET ${path}`);
  const fixed = Object.keys(present).filter((name) => ![...taken, ...ignored].includes(name));
  expect(fixed).toContain('id');
  for (const name of fixed) {
    const refused = await world.ask(
      `PUT ${path}`,
      json({ ...present, [name]: other(present[name]) }),
    );
    expect({ name, status: refused.status, paths: pathsOf(refused) }).toEqual({
      name,
      status: 400,
      paths: [`/${name}`],
    });
  }
  expect(isDeepStrictEqual(await world.done(`GET ${path}`), present)).toBe(true);
};

const tripsOf = ([title, trip]: [string, Trip]): [string, Run] => [
  title,
  async (world) => {
    const path = await trip.path(world);
    await goesBack(world, path, trip);
    await refusesOthers(world, path, trip);
  },
];

/** Members of a creation that a PUT of the created object takes too, as they are. */
const createdAgain =
  (collection: string, body: (world: World) => Json): Run =>
  async (world) => {
    const created = body(world);
    const id = await world.made(`POST ${collection}`, created);
    const before = await world.done(`GET ${collection}/${id}`);
    await world.done(`PUT ${collection}/${id}`, created);
    const after = await world.done(`GET ${collection}/${id}`);
    expect(without(after, ['version'])).toEqual(without(before, ['version']));
  };

/** Cases of the rule that a GET, a change and a PUT are a round trip, for each kind of object. */
export const ROUND_TRIPS: Readonly<Record<string, Run>> = {
  ...Object.fromEntries(Object.entries(TRIPS).map(tripsOf)),
  'the body that created a destination': createdAgain('/v1/connections', ({ ids }) => ({
    ...HTTP,
    name: 'Created',
    sendingMode: 'Server',
    linkedConnections: [ids.source],
    delivery: { ordering: 'none' },
  })),
  'the body that created a destination without a sending mode': createdAgain(
    '/v1/connections',
    () => ({ ...HTTP, name: 'Created', sendingMode: null }),
  ),
  'the body that created a source': createdAgain('/v1/connections', ({ ids }) => ({
    name: 'Created',
    role: 'Source',
    connector: 'nodejs',
    settings: {},
    sendingMode: null,
    linkedConnections: [ids.destination],
  })),
  'the body that created a pipeline': createdAgain('/v1/pipelines', ({ ids }) => ({
    name: 'Created',
    connection: ids.destination,
    target: 'Event',
    eventType: 'send_event',
    enabled: true,
  })),
  'the status of a pipeline': async (world) => {
    const { enabled, ...before } = await world.done('GET /v1/pipelines/{pipeline}');
    await world.done('PUT /v1/pipelines/{pipeline}/status', { enabled });
    expect(await world.done('GET /v1/pipelines/{pipeline}')).toEqual({ enabled, ...before });
  },
  'the status of the organization': async (world) => {
    const { enabled } = await world.done('GET /v1/organization');
    await world.done('PUT /v1/organization/status', { enabled });
    expect(await world.done('GET /v1/organization')).toMatchObject({ enabled: true });
  },
  'not the warehouse, whose members have other names in a GET': async (world) => {
    const { text } = await world.ask('GET /v1/warehouse');
    const refused = await world.ask('PUT /v1/warehouse', json(text));
    expect([refused.status, pathsOf(refused)]).toEqual([400, ['/platform']]);
    expect((await world.ask('GET /v1/warehouse')).text).toBe(text);
  },
};
