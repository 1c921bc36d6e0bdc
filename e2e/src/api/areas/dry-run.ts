import { randomUUID } from 'node:crypto';
import {
  CONFLICT,
  expectRefused,
  json,
  malformed,
  NO_CONNECTION,
  NO_KEY,
  NONE,
  refused,
} from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { bearer, type Json, type World, warehouseOf } from '../world';

const SOURCE = { name: 'Tried', role: 'Source', connector: 'nodejs' };

const PIPELINE = {
  name: 'Tried',
  connection: '{destination}',
  target: 'Event',
  eventType: 'send_event',
};

/** The path where the result of a request is read, and its body. */
type Prepared = readonly [seenAt: string, body?: object];

type Make = (world: World) => Prepared | Promise<Prepared>;

/** Creates, each with the list that would contain the created object. */
const CREATES: Readonly<Record<string, Make>> = {
  'POST /v1/connections': () => ['/v1/connections', SOURCE],
  'POST /v1/pipelines': () => ['/v1/pipelines', PIPELINE],
  'POST /v1/keys': () => ['/v1/keys', { name: 'Tried', scope: 'read' }],
  'POST /v1/workspaces': ({ databaseUrl }) => [
    '/v1/workspaces',
    {
      name: 'Tried',
      warehouse: { platform: 'PostgreSQL', settings: warehouseOf(databaseUrl) },
    },
  ],
  'POST /v1/connections/{source}/event-write-keys': () => [
    '/v1/connections/{source}/event-write-keys',
  ],
};

/** Changes, each with the path where the change would be read. */
const CHANGES: Readonly<Record<string, Make>> = {
  'PUT /v1/connections/{source}': () => ['/v1/connections/{source}', { name: 'Tried' }],
  'PUT /v1/pipelines/{pipeline}': async (world) => [
    '/v1/pipelines/{pipeline}',
    { ...(await world.done('GET /v1/pipelines/{pipeline}')), name: 'Tried' },
  ],
  'PUT /v1/pipelines/{pipeline}/status': () => ['/v1/pipelines/{pipeline}', { enabled: false }],
  'PUT /v1/workspaces/current': () => ['/v1/workspaces/current', { name: 'Tried' }],
  'PUT /v1/warehouse/mode': () => ['/v1/warehouse', { mode: 'Maintenance' }],
  'PUT /v1/profiles/schema': () => [
    '/v1/profiles/schema',
    {
      schema: {
        kind: 'object',
        properties: [{ name: 'tried', type: { kind: 'string' }, readOptional: true }],
      },
    },
  ],
  'PUT /v1/identity-resolution/settings': () => [
    '/v1/identity-resolution/settings',
    { runOnBatchImport: false, identifiers: ['email'] },
  ],
  'PUT /v1/organization/status': () => ['/v1/organization', { enabled: false }],
  'POST /v1/users/suppress': () => ['/v1/users/suppressed?userId=tried', { userId: 'tried' }],
  'DELETE /v1/connections/{source}/links/{destination}': () => ['/v1/connections/{source}'],
  'DELETE /v1/pipelines/{pipeline}': () => ['/v1/pipelines/{pipeline}'],
  'DELETE /v1/connections/{destination}': () => ['/v1/connections/{destination}'],
};

const tried = (world: World, call: string, body?: object, headers: Record<string, string> = {}) => {
  const request = body === undefined ? NONE : json(body);
  return world.ask(`${call}?dryRun=true`, {
    ...request,
    headers: { ...request.headers, ...headers },
  });
};

const seen = async (world: World, path: string): Promise<readonly unknown[]> => {
  const { status, text, headers } = await world.ask(`GET ${path}`);
  return [status, text, headers['etag']];
};

const newestFact = async (world: World): Promise<unknown> =>
  (await world.done('GET /v1/audit?limit=1'))['facts'];

const trials = (
  calls: Readonly<Record<string, Make>>,
  carriedOut?: (tried: Json, done: Json) => void,
): Record<string, Run> =>
  Object.fromEntries(
    Object.entries(calls).map(([call, make]): [string, Run] => [
      call,
      async (world) => {
        const [path, body] = await make(world);
        const look = async () => [await seen(world, path), await newestFact(world)];
        const before = await look();
        const { status, json: answered } = await tried(world, call, body);
        expect(status).toBe(200);
        expect(await look()).toEqual(before);
        if (carriedOut === undefined) return;
        carriedOut(answered, await world.done(call, body));
        expect(await look()).not.toEqual(before);
      },
    ]),
  );

/** The status of an intake request with this write key. */
const intakeWith = async (world: World, key: string): Promise<number> => {
  const event = json({ type: 'track', event: 'E', anonymousId: randomUUID() });
  const { status } = await world.ask('POST /v1/events', {
    ...event,
    headers: { ...event.headers, ...bearer(key) },
  });
  return status;
};

export const DRY_RUN: Table = {
  'a create is answered as if, and nothing is made': trials(CREATES, (answered, done) => {
    expect(Object.keys(answered)).toEqual(Object.keys(done));
  }),
  'a change is answered as if, and nothing is changed': trials(CHANGES),
  'what it answers opens nothing': {
    'an API key': async (world) => {
      const { json: made } = await tried(world, 'POST /v1/keys', { name: 'T', scope: 'admin' });
      const headers = bearer(String(made['key']));
      expect(made['key']).toMatch(/^pk_/);
      expectRefused(await world.ask('GET /v1/connections', { headers }), NO_KEY);
    },
    'an event write key': async (world) => {
      const call = 'POST /v1/connections/{source}/event-write-keys';
      const { json: made } = await tried(world, call);
      expect(await intakeWith(world, String(made['key']))).toBe(401);
      const { key } = await world.done(call);
      expect(await intakeWith(world, String(key))).toBe(200);
    },
    'an id': async (world) => {
      const { json: made } = await tried(world, 'POST /v1/connections', SOURCE);
      expectRefused(await world.ask(`GET /v1/connections/${String(made['id'])}`), NO_CONNECTION);
    },
  },
  'is refused as the request would be': {
    'by its members': refuses(
      'PUT /v1/pipelines/{pipeline}/status?dryRun=true',
      json({ enabled: 'yes' }),
      malformed('/enabled'),
    ),
    'by what does not exist': refuses(
      'POST /v1/connections/nothing000000/event-write-keys?dryRun=true',
      NONE,
      NO_CONNECTION,
    ),
    'by the state': refuses(
      'POST /v1/pipelines?dryRun=true',
      json({ ...PIPELINE, connection: 'nothing000000' }),
      refused('ConnectionNotExist', 'connection does not exist'),
    ),
    'by the version': refuses(
      'PUT /v1/pipelines/{pipeline}/status?dryRun=true',
      { ...json({ enabled: true }), headers: { ...json({}).headers, 'If-Match': '"999"' } },
      CONFLICT,
    ),
    'by a warehouse that cannot be reached': async (world) => {
      const settings = { ...warehouseOf(world.databaseUrl), port: 1 };
      expectRefused(
        await tried(world, 'PUT /v1/warehouse', { settings }),
        refused('InvalidWarehouseSettings', 'data warehouse settings are not valid', '/settings'),
      );
    },
  },
  'dryRun is true or false': {
    yes: refuses('POST /v1/connections?dryRun=yes', json(SOURCE), malformed('/dryRun')),
    empty: refuses('POST /v1/connections?dryRun=', json(SOURCE), malformed('/dryRun')),
    false: async (world) => {
      const id = await world.made('POST /v1/connections?dryRun=false', SOURCE);
      await world.done(`GET /v1/connections/${id}`);
    },
  },
  'of what is no create, update or delete there is none': Object.fromEntries(
    [
      'PUT /v1/warehouse/test',
      'PUT /v1/profiles/schema/preview',
      'POST /v1/warehouse/repair',
      'POST /v1/pipelines/{pipeline}/runs',
      'POST /v1/connections/{destination}/preview-send-event',
      'GET /v1/pipelines',
    ].map((call) => [call, refuses(`${call}?dryRun=true`, NONE, malformed('/dryRun'))]),
  ),
  'Idempotency-Key has no effect': async (world) => {
    const key = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [
      await tried(world, 'POST /v1/connections', SOURCE, key),
      await tried(world, 'POST /v1/connections', { ...SOURCE, name: 'Other' }, key),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    const request = json(SOURCE);
    const done = await world.ask('POST /v1/connections', {
      ...request,
      headers: { ...request.headers, ...key },
    });
    expect(done.headers['idempotent-replayed']).toBeUndefined();
    await world.done(`GET /v1/connections/${String(done.json['id'])}`);
    const third = await tried(world, 'POST /v1/connections', SOURCE, key);
    expect(third.json['id']).not.toBe(done.json['id']);
  },
};
