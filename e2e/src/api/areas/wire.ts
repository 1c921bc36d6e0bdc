import { randomUUID } from 'node:crypto';
import {
  absent,
  CONFLICT,
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
import { answers, refuses, type Run, type Table } from '../table';
import { type Answer, bearer, type World } from '../world';

const BAD_KEY = bearer(`pk_${'0'.repeat(40)}`);
const SOURCE = { name: 'Again', role: 'Source', connector: 'nodejs' };

const retried = (world: World, key: string, body: object = SOURCE): Promise<Answer> =>
  world.ask('POST /v1/connections', {
    ...json(body),
    headers: { ...json({}).headers, 'Idempotency-Key': key },
  });

/** The second answer is the first, and says so. */
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

const ofEachObject = (run: (path: string, world: World) => Promise<void>): Record<string, Run> =>
  Object.fromEntries(
    Object.entries(OBJECTS).map(([name, make]): [string, Run] => [
      name,
      async (world) => {
        await run(await make(world), world);
      },
    ]),
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
  'unknown member is 400 and named': refuses(
    'PUT /v1/pipelines/{pipeline}/status',
    json({ enabled: true, nme: 1 }),
    malformed('/nme'),
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
  }),
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
    const other = await retried(world, key, { ...SOURCE, name: 'Other' });
    expect(other.status).toBe(409);
    expect(other.text).toContain('"code":"Conflict"');
  },
  'Idempotency-Key is carried out once by many at once': async (world) => {
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
    expect(again.status).toBe(409);
    expect(again.text).not.toContain('pk_');
  },
  'Idempotency-Key of 1 to 255 characters': {
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
  'limit of 1 to 1000': {
    '0': refuses('GET /v1/connections?limit=0', NONE, malformed('/limit')),
    '1': answers('GET /v1/connections?limit=1', NONE, { connections: [expect.anything()] }),
    '1000': answers('GET /v1/connections?limit=1000', NONE, {}),
    '1001': refuses('GET /v1/connections?limit=1001', NONE, malformed('/limit')),
    'no number': refuses('GET /v1/connections?limit=many', NONE, malformed('/limit')),
    twice: refuses('GET /v1/connections?limit=1&limit=2', NONE, malformed('/limit')),
  },
  'an impossible cursor is 400': {
    connections: refuses('GET /v1/connections?cursor=x', NONE, malformed('/cursor')),
    pipelines: refuses('GET /v1/pipelines?cursor=x', NONE, malformed('/cursor')),
    keys: refuses('GET /v1/keys?cursor=x', NONE, malformed('/cursor')),
    workspaces: refuses('GET /v1/workspaces?cursor=x', NONE, malformed('/cursor')),
    runs: refuses('GET /v1/pipelines/runs?cursor=x', NONE, malformed('/cursor')),
    audit: refuses('GET /v1/audit?cursor=x', NONE, malformed('/cursor')),
  },
  'unknown parameter is 400 and named': {
    connections: refuses('GET /v1/connections?color=red', NONE, malformed('/color')),
    pipelines: refuses('GET /v1/pipelines?color=red', NONE, malformed('/color')),
    keys: refuses('GET /v1/keys?color=red', NONE, malformed('/color')),
    workspaces: refuses('GET /v1/workspaces?color=red', NONE, malformed('/color')),
    runs: refuses('GET /v1/pipelines/runs?color=red', NONE, malformed('/color')),
    audit: refuses('GET /v1/audit?color=red', NONE, malformed('/color')),
    users: refuses('GET /v1/connections/{application}/users?color=red', NONE, malformed('/color')),
  },
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
