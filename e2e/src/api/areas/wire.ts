import { randomUUID } from 'node:crypto';
import {
  absent,
  CONFLICT,
  type ErrorBody,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_CONNECTION,
  NO_KEY,
  NO_METHOD,
  NO_PIPELINE,
  NONE,
  TOO_LARGE,
  UNSUPPORTED,
} from '../refusal';
import { CALLS_OF_ORGANIZATION, EVEN_DISABLED, EVERY_CALL } from '../every-call';
import { answers, refuses, type Run, type Table } from '../table';
import { type Answer, bearer, World } from '../world';
import { ROUND_TRIPS } from './round-trips';

const BAD_KEY = bearer(`pk_${'0'.repeat(40)}`);
const SOURCE = { name: 'Again', role: 'Source', connector: 'nodejs' };

const retried = (world: World, key: string, body: object = SOURCE): Promise<Answer> =>
  world.ask('POST /v1/connections', {
    ...json(body),
    headers: { ...json({}).headers, 'Idempotency-Key': key },
  });

/** Checks that a repeated request gets the first answer, marked as a replay. */
const replays =
  (call: string, request: (world: World) => Promise<object> | object, status: number): Run =>
  async (world) => {
    const key = { 'Idempotency-Key': randomUUID() };
    const given = json(await request(world));
    const ask = () => world.ask(call, { ...given, headers: { ...given.headers, ...key } });
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status]).toEqual([status, status]);
    expect(second.text).toBe(first.text);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
  };

const matches = (headers: Record<string, string>) => ({
  headers: { ...json({}).headers, ...headers },
});

const NEW_PIPELINE = {
  name: 'Of a version',
  connection: '{destination}',
  target: 'Event',
  eventType: 'send_event',
};

const OBJECTS: Readonly<Record<string, (world: World) => Promise<string>>> = {
  connection: async (world) =>
    `/v1/connections/${await world.made('POST /v1/connections', SOURCE)}`,
  pipeline: async (world) =>
    `/v1/pipelines/${await world.made('POST /v1/pipelines', {
      ...NEW_PIPELINE,
      connection: world.ids.destination,
    })}`,
  workspace: () => Promise.resolve('/v1/workspaces/current'),
};

/** These objects and the warehouse. */
const READ: typeof OBJECTS = { ...OBJECTS, warehouse: () => Promise.resolve('/v1/warehouse') };

const ofEachObject = (
  run: (path: string, world: World) => Promise<void>,
  objects = OBJECTS,
): Record<string, Run> =>
  Object.fromEntries(
    Object.entries(objects).map(([name, make]): [string, Run] => [
      name,
      async (world) => {
        await run(await make(world), world);
      },
    ]),
  );

/** The schema of profiles of a new workspace. */
const PROFILES = {
  kind: 'object',
  properties: [
    ['email', 'Email address'],
    ['first_name', 'First name'],
    ['last_name', 'Last name'],
  ].map(([name, description]) => ({
    ...{ name, type: { kind: 'string' }, readOptional: true, description },
  })),
};

/** Changes of objects that share another object's version, each with the path of that object. */
const OF_ANOTHER: Readonly<Record<string, readonly [etagOf: string, body?: object]>> = {
  'DELETE /v1/connections/{source}/links/{destination}': ['/v1/connections/{source}'],
  'POST /v1/connections/{source}/links/{destination}': ['/v1/connections/{source}'],
  'POST /v1/connections/{source}/event-write-keys': ['/v1/connections/{source}/event-write-keys'],
  'PUT /v1/organization/status': ['/v1/organization', { enabled: true }],
  'PUT /v1/pipelines/{pipeline}/status': ['/v1/pipelines/{pipeline}', { enabled: true }],
  'PUT /v1/warehouse/mode': ['/v1/warehouse', { mode: 'Normal' }],
  'POST /v1/warehouse/repair': ['/v1/warehouse'],
  'PUT /v1/profiles/schema': ['/v1/profiles/schema', { schema: PROFILES }],
  'PUT /v1/identity-resolution/settings': [
    '/v1/identity-resolution/settings',
    { runOnBatchImport: true, identifiers: [] },
  ],
};

/** Calls that create an object, or change one without a version. */
const OF_NONE: Readonly<Record<string, object>> = {
  'POST /v1/connections': SOURCE,
  'POST /v1/pipelines': NEW_PIPELINE,
  'POST /v1/keys': { name: 'Of a version', scope: 'read' },
  'POST /v1/users/suppress': { userId: 'of a version' },
  'POST /v1/users/unsuppress': { userId: 'of a version' },
};

/** Tags of operations that need a write key or no key. */
const OF_NO_KEY: ReadonlySet<string> = new Set(['Events of SDKs', 'Document']);

/** Such operations under a tag that has other operations too. */
const INTAKE_OPERATIONS = [
  'POST /v1/events',
  ...['alias', 'group', 'identify', 'page', 'screen', 'track'].map(
    (type) => `POST /v1/events/${type}`,
  ),
  'POST /v1/webhooks/{writeKey}',
];

const LISTS: Readonly<Record<string, string>> = {
  connections: '/v1/connections',
  pipelines: '/v1/pipelines',
  keys: '/v1/keys',
  workspaces: '/v1/workspaces',
  runs: '/v1/pipelines/runs',
  facts: '/v1/audit',
};

/** Cases of one rule for each list. */
const ofEachList = (
  cases: Readonly<Record<string, (path: string, name: string) => Run>>,
): Record<string, Run> =>
  Object.fromEntries(
    Object.entries(LISTS).flatMap(([name, path]) =>
      Object.entries(cases).map(([title, make]): [string, Run] => [
        `${title} of ${name}`,
        make(path, name),
      ]),
    ),
  );

const PATHS: Readonly<Record<string, string>> = {
  connection: 'DELETE /v1/connections/nothing000000',
  pipeline: 'DELETE /v1/pipelines/nothing000000',
};

export const WIRE: Table = {
  'success is 200 with a compact body, or without one': {
    'with a body': async (world) => {
      const { status, text, headers } = await world.ask('GET /v1/pipelines/{pipeline}');
      expect(status).toBe(200);
      expect(text).toBe(JSON.stringify(JSON.parse(text)));
      expect(headers['content-type']).toMatch(/^application\/json/);
    },
    'without one': async (world) => {
      const { status, text } = await world.ask(
        'PUT /v1/pipelines/{pipeline}/status',
        json({ enabled: true }),
      );
      expect([status, text]).toEqual([200, '']);
    },
  },
  'an unknown route is 404 for everybody': {
    'with a key': refuses('GET /v1/nothing', NONE, absent('NotFound', 'route does not exist')),
    'without one': refuses(
      'GET /v1/nothing',
      { headers: { Authorization: '' } },
      absent('NotFound', 'route does not exist'),
    ),
    'of another version': refuses(
      'GET /v2/pipelines',
      NONE,
      absent('NotFound', 'route does not exist'),
    ),
  },
  'another method is 405 with Allow': {
    'a list': async (world) => {
      const answer = await world.ask('PATCH /v1/pipelines');
      expectRefused(answer, NO_METHOD);
      expect(answer.headers['allow']?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    },
    'an object': async (world) => {
      const answer = await world.ask('POST /v1/pipelines/{pipeline}');
      expectRefused(answer, NO_METHOD);
      expect(answer.headers['allow']?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PUT']);
    },
  },
  'missing or invalid Authorization is 401': {
    missing: refuses('GET /v1/pipelines', { headers: { Authorization: '' } }, NO_KEY),
    'another scheme': refuses(
      'GET /v1/pipelines',
      { headers: { Authorization: 'Basic cGs6' } },
      NO_KEY,
    ),
    'no key': refuses('GET /v1/pipelines', { headers: { Authorization: 'Bearer' } }, NO_KEY),
    'two keys': refuses('GET /v1/pipelines', { headers: { Authorization: 'Bearer a b' } }, NO_KEY),
    'an unknown key': refuses('GET /v1/pipelines', { headers: BAD_KEY }, NO_KEY),
    'a write key': async (world) => {
      const headers = bearer(world.ids.writeKey);
      expectRefused(await world.ask('GET /v1/pipelines', { headers }), NO_KEY);
    },
    'on List warehouse platforms': refuses(
      'GET /v1/warehouse/platforms',
      { headers: { Authorization: '' } },
      NO_KEY,
    ),
  },
  'body that is not well-formed is 400': {
    'no JSON': refuses('POST /v1/pipelines', json('{"name":'), malformed('/name')),
    'no body': refuses('POST /v1/pipelines', NONE, malformed('')),
    'an array': refuses('POST /v1/pipelines', json([]), malformed('')),
    'not UTF-8': refuses(
      'POST /v1/pipelines',
      { ...json(''), body: Buffer.from([34, 255, 34]) },
      malformed(''),
    ),
  },
  'duplicate member is 400': refuses(
    'POST /v1/connections',
    json('{"name":"a","name":"b"}'),
    malformed('/name'),
  ),
  'unknown member is 400 and named': Object.fromEntries(
    [...EVERY_CALL, ...CALLS_OF_ORGANIZATION, ...EVEN_DISABLED]
      .filter(([, { body }]) => body !== undefined)
      .map(([call]): [string, Run] => [
        call,
        async (world) => {
          const { status, text } = await world.ask(call, json({ nme: 1 }));
          const { error } = JSON.parse(text) as ErrorBody;
          expect(status).toBe(400);
          expect(error.details?.map(({ path }) => path)).toContain('/nme');
        },
      ]),
  ),
  'where no body is asked for, an empty object is none, and nothing else': Object.fromEntries(
    [
      'POST /v1/connections/{source}/links/{destination}',
      'POST /v1/connections/{source}/event-write-keys',
      'POST /v1/warehouse/repair',
    ].flatMap((call): [string, Run][] => [
      [`${call} {}`, (world) => world.done(call, {}).then(() => undefined)],
      [`${call} {"key":1}`, refuses(call, json({ key: 1 }), malformed('/key'))],
      [`${call} []`, refuses(call, json([]), malformed(''))],
      [`${call} {`, refuses(call, json('{'), malformed(''))],
    ]),
  ),
  'every bad member is named': async (world) => {
    const { status, text } = await world.ask(
      'POST /v1/connections',
      json({ name: '', role: 'Both', connector: 1 }),
    );
    const { error } = JSON.parse(text) as { error: { details: { path: string }[] } };
    expect(status).toBe(400);
    expect(error.details.map(({ path }) => path).sort()).toEqual(['/connector', '/name', '/role']);
  },
  'body of at most 512,000 bytes, else 413': {
    '512,000': refuses('POST /v1/pipelines', json(' '.repeat(512_000)), malformed('')),
    '512,001': refuses('POST /v1/pipelines', json(' '.repeat(512_001)), TOO_LARGE),
    'in chunks': refuses(
      'POST /v1/pipelines',
      {
        headers: json({}).headers ?? {},
        chunks: [Buffer.alloc(300_000, ' '), Buffer.alloc(300_000, ' ')],
      },
      TOO_LARGE,
    ),
  },
  'content type must be application/json, else 415': {
    'another media type': refuses(
      'POST /v1/pipelines',
      { headers: { 'Content-Type': 'text/plain' }, body: '{}' },
      UNSUPPORTED,
    ),
    none: refuses('POST /v1/pipelines', { body: '{}' }, UNSUPPORTED),
    'another charset': refuses(
      'POST /v1/pipelines',
      { headers: { 'Content-Type': 'application/json; charset=latin1' }, body: '{}' },
      UNSUPPORTED,
    ),
    'charset utf-8': answers('PUT /v1/pipelines/{pipeline}/status', {
      headers: { 'Content-Type': 'Application/JSON; charset=UTF-8' },
      body: '{"enabled":true}',
    }),
    'no body needs none': answers('POST /v1/connections/{source}/links/{destination}'),
  },
  'characters are code points': async (world) => {
    const name = '😀'.repeat(100);
    const id = await world.made('POST /v1/connections', { ...SOURCE, name });
    expect(await world.done(`GET /v1/connections/${id}`)).toMatchObject({ name });
    const longer = await world.ask('POST /v1/connections', json({ ...SOURCE, name: `${name}a` }));
    expectRefused(longer, malformed('/name'));
  },
  'identifiers are 12 to 26 URL-safe characters, sortable by time': async (world) => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      ids.push(await world.made('POST /v1/connections', SOURCE));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{12,26}$/);
    expect([...ids].sort()).toEqual(ids);
  },
  'an impossible id is the same 404': {
    'a NUL': refuses('GET /v1/connections/%00', NONE, NO_CONNECTION),
    'a slash': refuses('DELETE /v1/pipelines/%2F', NONE, NO_PIPELINE),
    'too long': refuses(`GET /v1/pipelines/${'a'.repeat(2_000)}`, NONE, NO_PIPELINE),
  },
  'times are RFC 3339 in UTC': async (world) => {
    const { facts } = await world.done('GET /v1/audit?limit=5');
    for (const { time } of facts as { time: string }[])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  },
  '64-bit integers keep every digit': async (world) => {
    const filter = `{"logical":"and","conditions":[{"property":"context.session.id","operator":"is","values":["9223372036854775807"]}]}`;
    const outSchema =
      '{"kind":"object","properties":[{"name":"properties","type":{"kind":"json"},"createRequired":true}]}';
    const schema = `{"kind":"object","properties":[{"name":"a","type":{"kind":"int","bitSize":64,"maximum":9223372036854775806}}]}`;
    const made = await world.ask(
      'POST /v1/pipelines',
      json(
        `{"name":"Digits","connection":"{destination}","target":"Event","eventType":"send_values","filter":${filter},"transformation":{"mapping":{"properties":"properties"}},"outSchema":${outSchema}}`,
      ),
    );
    expect(made.status).toBe(200);
    const { text } = await world.ask(`GET /v1/pipelines/${String(made.json['id'])}`);
    expect(text).toContain('9223372036854775807');
    const { text: event } = await world.ask('GET /v1/events/schema');
    expect(event).not.toContain('9223372036854776000');
    const users = await world.ask(
      `GET /v1/connections/{application}/users?schema=${encodeURIComponent(schema)}`,
    );
    expect(users.status).toBe(422);
  },
  'Request-Id on every answer': {
    'that was given': async (world) => {
      const headers = { 'Request-Id': 'mine-1' };
      const { headers: answered } = await world.ask('GET /v1/pipelines', { headers });
      expect(answered['request-id']).toBe('mine-1');
    },
    'a new one': async (world) => {
      const ids = await Promise.all(
        ['GET /v1/pipelines', 'GET /v1/nothing', 'PATCH /v1/pipelines'].map(
          async (call) => (await world.ask(call)).headers['request-id'],
        ),
      );
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]+$/);
    },
    'in place of one that cannot be logged': async (world) => {
      const headers = { 'Request-Id': 'a "b"' };
      const { headers: answered } = await world.ask('GET /v1/pipelines', { headers });
      expect(answered['request-id']).toMatch(/^[A-Za-z0-9._-]+$/);
    },
  },
  'Request-Id is in the audit': async (world) => {
    const headers = { 'Request-Id': `mine-${randomUUID()}` };
    await world.ask('POST /v1/connections', {
      ...json(SOURCE),
      headers: { ...json({}).headers, ...headers },
    });
    const { facts } = await world.done(`GET /v1/audit?requestId=${headers['Request-Id']}`);
    expect((facts as { type: string }[]).map(({ type }) => type)).toContain('ConnectionCreated');
  },
  'GET of a configuration object sends ETag': ofEachObject(async (path, world) => {
    expect(await world.etagOf(path)).toMatch(/^"\d+"$/);
  }, READ),
  'PUT honours If-Match': ofEachObject(async (path, world) => {
    const etag = await world.etagOf(path);
    const put = (ifMatch: string, name: string) =>
      world.ask(`PUT ${path}`, {
        ...matches({ 'If-Match': ifMatch }),
        body: JSON.stringify({ name }),
      });
    expectRefused(await put('"999"', 'Stale'), CONFLICT);
    expect((await put(etag, `First ${randomUUID()}`)).status).toBe(200);
    expectRefused(await put(etag, 'Second'), CONFLICT);
    expect((await put('*', `Third ${randomUUID()}`)).status).toBe(200);
    expect(await world.etagOf(path)).not.toBe(etag);
  }),
  'DELETE honours If-Match': {
    connection: async (world) => {
      const path = await OBJECTS['connection']?.(world);
      const etag = await world.etagOf(String(path));
      const remove = (ifMatch: string) =>
        world.ask(`DELETE ${String(path)}`, { headers: { 'If-Match': ifMatch } });
      expectRefused(await remove('"999"'), CONFLICT);
      expect((await remove(etag)).status).toBe(200);
    },
    pipeline: async (world) => {
      const path = await OBJECTS['pipeline']?.(world);
      const etag = await world.etagOf(String(path));
      const remove = (ifMatch: string) =>
        world.ask(`DELETE ${String(path)}`, { headers: { 'If-Match': ifMatch } });
      expectRefused(await remove('"999"'), CONFLICT);
      expect((await remove(etag)).status).toBe(200);
    },
  },
  'If-Match of what has the version of something else': Object.fromEntries(
    Object.entries(OF_ANOTHER).map(([call, [path, body]]): [string, Run] => [
      call,
      async (world) => {
        const ask = (ifMatch: string) => {
          const request = body === undefined ? NONE : json(body);
          return world.ask(call, {
            ...request,
            headers: { ...request.headers, 'If-Match': ifMatch },
          });
        };
        expectRefused(await ask('"999"'), CONFLICT);
        expect((await ask(await world.etagOf(path))).status).toBe(200);
        expect((await ask('*')).status).toBe(200);
      },
    ]),
  ),
  'If-Match of an event write key is the version of its source': async (world) => {
    const path = '/v1/connections/{source}/event-write-keys';
    const etag = await world.etagOf(path);
    expect(await world.etagOf('/v1/connections/{source}')).toBe(etag);
    const { key } = await world.done(`POST ${path}`);
    const remove = (ifMatch: string) =>
      world.ask(`DELETE ${path}/${String(key)}`, { headers: { 'If-Match': ifMatch } });
    expectRefused(await remove(etag), CONFLICT);
    expect((await remove(await world.etagOf(path))).status).toBe(200);
  },
  'If-Match of an API key, which never changes': async (world) => {
    const { id } = await world.key({});
    const revoke = (ifMatch: string) =>
      world.ask(`DELETE /v1/keys/${id}`, { headers: { 'If-Match': ifMatch } });
    expectRefused(await revoke('"2"'), CONFLICT);
    expect((await revoke('"1"')).status).toBe(200);
  },
  'If-Match of what is made, or has no version': Object.fromEntries(
    Object.entries(OF_NONE).map(([call, body]): [string, Run] => [
      call,
      async (world) => {
        const ask = (ifMatch: string) =>
          world.ask(call, { ...json(body), ...matches({ 'If-Match': ifMatch }) });
        expectRefused(await ask('"1"'), {
          ...CONFLICT,
          message: 'If-Match is set, but the object has no version',
        });
        expect((await ask('*')).status).toBe(200);
      },
    ]),
  ),
  'DELETE of a workspace honours If-Match': async (world) => {
    const other = await World.make(world);
    const remove = (ifMatch: string) =>
      other.ask('DELETE /v1/workspaces/current', { headers: { 'If-Match': ifMatch } });
    expectRefused(await remove('"999"'), CONFLICT);
    expect((await remove(await other.etagOf('/v1/workspaces/current'))).status).toBe(200);
  },
  'a change that changes nothing keeps the ETag': async (world) => {
    const etag = await world.etagOf('/v1/pipelines/{pipeline}');
    const { enabled } = await world.done('GET /v1/pipelines/{pipeline}');
    await world.done('PUT /v1/pipelines/{pipeline}/status', { enabled });
    expect(await world.etagOf('/v1/pipelines/{pipeline}')).toBe(etag);
  },
  'Idempotency-Key replays 200': replays('POST /v1/connections', () => SOURCE, 200),
  'Idempotency-Key replays 400': replays('POST /v1/connections', () => ({ name: 'No role' }), 400),
  'Idempotency-Key replays 404': replays(
    'POST /v1/connections/nothing000000/event-write-keys',
    () => ({}),
    404,
  ),
  'Idempotency-Key replays 422': replays(
    'POST /v1/connections',
    () => ({ ...SOURCE, connector: 'abacus' }),
    422,
  ),
  'Idempotency-Key with another body is 409': async (world) => {
    const key = randomUUID();
    expect((await retried(world, key)).status).toBe(200);
    expectRefused(await retried(world, key, { ...SOURCE, name: 'Other' }), {
      ...CONFLICT,
      message: 'Idempotency-Key was used for another request',
    });
  },
  'Idempotency-Key is executed once by many at once': async (world) => {
    const key = randomUUID();
    const made = await Promise.all(Array.from({ length: 20 }, () => retried(world, key)));
    const ids = made.filter(({ status }) => status === 200).map(({ json: { id } }) => id);
    expect(new Set(ids).size).toBe(1);
    for (const { status } of made) expect([200, 409]).toContain(status);
  },
  'Idempotency-Key is of an API key, method and path': async (world) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await world.ask('POST /v1/connections/{source}/event-write-keys', { headers });
    const own = await world.key({ scope: 'admin', workspace: world.ids.workspace });
    const others = await world.ask('POST /v1/connections/{source}/event-write-keys', {
      headers: { ...headers, ...bearer(own.key) },
    });
    expect(first.status).toBe(200);
    expect(others.status).toBe(200);
    expect(others.json['key']).not.toBe(first.json['key']);
    const link = await world.ask('POST /v1/connections/{source}/links/{destination}', { headers });
    expect([link.status, link.text]).toEqual([200, '']);
    for (const {
      json: { key },
    } of [first, others])
      await world.done(`DELETE /v1/connections/{source}/event-write-keys/${String(key)}`);
  },
  'Idempotency-Key of a key that was made is 409': async (world) => {
    const headers = { ...json({}).headers, 'Idempotency-Key': randomUUID() };
    const ask = () =>
      world.ask('POST /v1/keys', {
        headers,
        body: JSON.stringify({ name: 'Once', scope: 'read' }),
      });
    expect((await ask()).status).toBe(200);
    const again = await ask();
    expectRefused(again, {
      ...CONFLICT,
      message: 'the request was executed before, and its answer is not kept',
    });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await ask()).text).toBe(again.text);
  },
  'Idempotency-Key replays 409': async (world) => {
    const headers = { ...json({}).headers, 'Idempotency-Key': randomUUID() };
    const ask = (name: string) =>
      world.ask('POST /v1/keys', { headers, body: JSON.stringify({ name, scope: 'read' }) });
    await ask('Once');
    const conflicts = [await ask('Once'), await ask('Once')];
    for (const answer of conflicts) {
      expect(answer.status).toBe(409);
      expect(answer.headers['idempotent-replayed']).toBe('true');
    }
    expect(conflicts[1]?.text).toBe(conflicts[0]?.text);
  },
  'Idempotency-Key means nothing at intake': async (world) => {
    const headers = { ...bearer(world.ids.writeKey), 'Idempotency-Key': randomUUID() };
    for (const event of ['Good', '']) {
      const body = JSON.stringify({ type: 'track', event, userId: 'ada' });
      const { status, headers: answered } = await world.ask('POST /v1/events', { headers, body });
      expect(status).toBe(event === '' ? 400 : 200);
      expect(answered['idempotent-replayed']).toBeUndefined();
    }
  },
  'Idempotency-Key of 1 to 255 characters': {
    '0': async (world) => {
      expectRefused(await retried(world, ''), malformed('/Idempotency-Key'));
    },
    '1': async (world) => {
      expect((await retried(world, 'k')).status).toBe(200);
    },
    '255': async (world) => {
      expect((await retried(world, randomUUID().padEnd(255, 'k'))).status).toBe(200);
    },
    '256': async (world) => {
      expectRefused(await retried(world, 'k'.repeat(256)), malformed('/Idempotency-Key'));
    },
  },
  'read your writes': async (world) => {
    for (let round = 0; round < 10; round += 1) {
      const name = `Round ${String(round)}`;
      const id = await world.made('POST /v1/connections', { ...SOURCE, name });
      expect(await world.done(`GET /v1/connections/${id}`)).toMatchObject({ name });
      await world.done(`DELETE /v1/connections/${id}`);
      expectRefused(await world.ask(`GET /v1/connections/${id}`), NO_CONNECTION);
    }
  },
  'lists come in pages of limit, to an empty cursor': async (world) => {
    for (let made = 0; made < 3; made += 1) await world.made('POST /v1/connections', SOURCE);
    const all = (await world.done('GET /v1/connections?limit=1000'))['connections'] as object[];
    const paged: object[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await world.done(`GET /v1/connections?limit=2&cursor=${cursor}`);
      const connections = page['connections'] as object[];
      expect(connections.length).toBeLessThanOrEqual(2);
      paged.push(...connections);
      cursor = page['cursor'] === '' ? undefined : String(page['cursor']);
    }
    expect(paged).toEqual(all);
  },
  'limit of 1 to 1000, 100 when omitted': {
    ...ofEachList({
      'limit 0': (path) => refuses(`GET ${path}?limit=0`, NONE, malformed('/limit')),
      'limit 1': (path, name) => async (world) => {
        const page = await world.done(`GET ${path}?limit=1`);
        expect((page[name] as object[]).length).toBeLessThanOrEqual(1);
      },
      'limit 1000': (path, name) =>
        answers(`GET ${path}?limit=1000`, NONE, { [name]: expect.any(Array) as object[] }),
      'limit 1001': (path) => refuses(`GET ${path}?limit=1001`, NONE, malformed('/limit')),
      'no number as limit': (path) => refuses(`GET ${path}?limit=many`, NONE, malformed('/limit')),
      'two limits': (path) => refuses(`GET ${path}?limit=1&limit=2`, NONE, malformed('/limit')),
    }),
    'no limit': async (world) => {
      const { facts } = await world.done('GET /v1/audit?limit=101');
      for (let made = (facts as object[]).length; made <= 100; made += 1)
        await world.made('POST /v1/connections', SOURCE);
      const { facts: first } = await world.done('GET /v1/audit');
      expect(first).toHaveLength(100);
    },
  },
  'an impossible cursor is 400': ofEachList({
    'cursor x': (path) => refuses(`GET ${path}?cursor=x`, NONE, malformed('/cursor')),
    'two cursors': (path) => refuses(`GET ${path}?cursor=&cursor=`, NONE, malformed('/cursor')),
  }),
  'unknown parameter is 400 and named': {
    ...ofEachList({
      color: (path) => refuses(`GET ${path}?color=red`, NONE, malformed('/color')),
    }),
    'color of users': refuses(
      'GET /v1/connections/{application}/users?color=red',
      NONE,
      malformed('/color'),
    ),
    'color of an event type schema': refuses(
      'GET /v1/connections/{destination}/schemas/event?type=send_event&color=red',
      NONE,
      malformed('/color'),
    ),
  },
  'every operation of the API document is asked what is common to all': async (world) => {
    const { paths } = (await world.done('GET /v1/openapi.json')) as {
      paths: Record<string, Record<string, { tags: string[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => !tags.some((tag) => OF_NO_KEY.has(tag)))
        .map(([method]) => ({
          name: `${method.toUpperCase()} ${path}`,
          form: new RegExp(
            `^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '(?!runs$)[^/]+')}$`,
          ),
        })),
    );
    const calls = [...EVERY_CALL, ...CALLS_OF_ORGANIZATION, ...EVEN_DISABLED].map(([call]) => call);
    const unasked = operations.filter(
      ({ form }) => !calls.some((call) => form.test(call.split('?', 1)[0] ?? '')),
    );
    expect(unasked.map(({ name }) => name)).toEqual(INTAKE_OPERATIONS);
  },
  'search finds by name, in upper or lower case, in every list of objects with names': async (
    world,
  ) => {
    for (const list of ['pipelines', 'connections', 'workspaces', 'keys']) {
      const path = `/v1/${list}`;
      const all = (await world.done(`GET ${path}`))[list] as { id: string; name: string }[];
      const [{ name } = { name: '' }] = all;
      const found = await world.done(
        `GET ${path}?search=${encodeURIComponent(name.toUpperCase())}`,
      );
      const wanted = all.filter((each) => each.name.toLowerCase().includes(name.toLowerCase()));
      expect(found[list]).toEqual(wanted);
      expect((await world.done(`GET ${path}?search=no%20such%20name`))[list]).toEqual([]);
      for (const bad of ['', 'x'.repeat(101)])
        expectRefused(await world.ask(`GET ${path}?search=${bad}`), malformed('/search'));
      expect((await world.ask(`GET ${path}?search=${'x'.repeat(100)}`)).status).toBe(200);
    }
  },
  'GET, change, PUT works for every object but the warehouse, and what cannot be changed is 400':
    ROUND_TRIPS,
  'HEAD answers as GET, without a body': async (world) => {
    const { status, text } = await world.ask('HEAD /v1/pipelines/{pipeline}');
    expect([status, text]).toEqual([200, '']);
  },
  'order of checks: route before authentication': refuses(
    'PATCH /v1/pipelines',
    { headers: BAD_KEY },
    NO_METHOD,
  ),
  'order of checks: authentication before size, content and members': {
    content: refuses('POST /v1/pipelines', { headers: BAD_KEY, body: '{' }, NO_KEY),
    size: refuses('POST /v1/pipelines', { headers: BAD_KEY, body: ' '.repeat(512_001) }, NO_KEY),
    resource: refuses('GET /v1/pipelines/nothing000000', { headers: BAD_KEY }, NO_KEY),
  },
  'order of checks: scope before workspace and content': async (world) => {
    const { key } = await world.key({ scope: 'read' });
    const headers = { ...bearer(key), 'Penstock-Workspace': 'nothing000000' };
    expectRefused(await world.ask('POST /v1/pipelines', { headers, body: '{' }), FORBIDDEN);
  },
  'order of checks: workspace before content': refuses(
    'POST /v1/pipelines',
    { headers: { 'Penstock-Workspace': 'nothing000000' }, body: '{' },
    absent('WorkspaceNotExist', 'workspace does not exist'),
  ),
  'order of checks: size before content type': refuses(
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'text/plain' }, body: ' '.repeat(512_001) },
    TOO_LARGE,
  ),
  'order of checks: content type before JSON': refuses(
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'text/plain' }, body: '{' },
    UNSUPPORTED,
  ),
  'order of checks: JSON before members': refuses(
    'POST /v1/connections',
    json('{"name":1,"name":1}'),
    malformed('/name'),
  ),
  'order of checks: members before existence': Object.fromEntries(
    Object.entries({
      connection: 'PUT /v1/connections/nothing000000',
      pipeline: 'PUT /v1/pipelines/nothing000000',
      status: 'PUT /v1/pipelines/nothing000000/status',
    }).map(([name, call]) => [name, refuses(call, json({ color: 'red' }), malformed('/color'))]),
  ),
  'order of checks: existence before state': Object.fromEntries(
    Object.entries(PATHS).map(([name, call]) => [
      name,
      refuses(
        call,
        { headers: { 'If-Match': '"9"' } },
        name === 'connection' ? NO_CONNECTION : NO_PIPELINE,
      ),
    ]),
  ),
};
