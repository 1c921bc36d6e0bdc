import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  absent,
  CONFLICT,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_KEY,
  NONE,
  refused,
} from '../refusal';
import { CALLS_OF_ORGANIZATION, EVEN_DISABLED, EVERY_CALL, scopeOf } from '../every-call';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, type Json, warehouseOf, World } from '../world';

const NO_API_KEY = absent('KeyNotExist', 'key does not exist');
const NO_WORKSPACE = absent('WorkspaceNotExist', 'workspace does not exist');

const NO_WAREHOUSE = refused(
  'InvalidWarehouseSettings',
  'data warehouse settings are not valid',
  '/warehouse/settings',
);

const KEY = { name: 'CI', scope: 'read' };
const WAREHOUSE = { platform: 'PostgreSQL', settings: { host: 'localhost' } };
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const inBase62 = (number: number): string =>
  number < 62
    ? (DIGITS[number] ?? '')
    : inBase62(Math.floor(number / 62)) + (DIGITS[number % 62] ?? '');

const newKey =
  (members: object): Run =>
  async (world) => {
    const made = await world.done('POST /v1/keys', { ...KEY, ...members });
    await world.done(`DELETE /v1/keys/${String(made['id'])}`);
  };

const keyRefused = (members: object, because: Parameters<typeof refuses>[2]): Run =>
  refuses('POST /v1/keys', json({ ...KEY, ...members }), because);

const statusWith = async (world: World, key: string, call = 'GET /v1/pipelines'): Promise<number> =>
  (await world.ask(call, { headers: bearer(key) })).status;

const keysSeenBy = async (world: World, key?: string): Promise<Json[]> => {
  const headers = key === undefined ? {} : bearer(key);
  const { json: list } = await world.ask('GET /v1/keys?limit=1000', { headers });
  return list['keys'] as Json[];
};

const newWorkspace = (world: World, members: object = {}) =>
  world.ask(
    'POST /v1/workspaces',
    json({
      name: 'W',
      warehouse: { platform: 'PostgreSQL', settings: warehouseOf(world.databaseUrl) },
      ...members,
    }),
  );

const within = (workspace: unknown): Record<string, string> => ({
  'Penstock-Workspace': String(workspace),
});

/** A case for each of the calls, which must refuse these headers. */
const ofEvery = (
  calls: typeof EVERY_CALL,
  headers: Record<string, string>,
  because: Parameters<typeof refuses>[2],
): Record<string, Run> =>
  Object.fromEntries(
    calls.map(([call, request]) => [
      call,
      refuses(call, { ...request, headers: { ...request.headers, ...headers } }, because),
    ]),
  );

const FORBIDDING = [...EVERY_CALL, ...CALLS_OF_ORGANIZATION, ...EVEN_DISABLED];

/** A key of the scope may make the calls that need one of the allowed scopes, and no others. */
const lets =
  (scope: string, allowed: readonly string[]): Run =>
  async (world) => {
    const scratch = await World.make(world);
    const headers = bearer((await world.key({ scope })).key);
    for (const [call, request] of FORBIDDING) {
      const answer = await scratch.ask(call, {
        ...request,
        headers: { ...request.headers, ...headers },
      });
      const isAllowed = allowed.includes(scopeOf(call));
      expect([call, answer.status !== 403]).toEqual([call, isAllowed]);
      if (!isAllowed) expectRefused(answer, FORBIDDEN);
    }
  };

export const KEYS: Table = {
  'every endpoint: Authorization header is missing or invalid': ofEvery(
    [...EVERY_CALL, ...CALLS_OF_ORGANIZATION, ...EVEN_DISABLED],
    { Authorization: '' },
    NO_KEY,
  ),
  'Create: answers id, key and hint': async (world) => {
    const { id, key, hint } = await world.done('POST /v1/keys', KEY);
    expect(String(key)).toMatch(/^pk_[0-9A-Za-z]{40}$/);
    expect(hint).toBe(`${String(key).slice(0, 4)}…${String(key).slice(-4)}`);
    expect(await statusWith(world, String(key))).toBe(200);
    await world.done(`DELETE /v1/keys/${String(id)}`);
  },
  'a key ends with the CRC-32 of what goes before': async (world) => {
    const { key } = await world.key({});
    const random = key.slice(3, -6);
    expect(key.slice(-6)).toBe(inBase62(crc32(random)).padStart(6, '0'));
  },
  'a key is shown once': async (world) => {
    const { id, key } = await world.key({});
    expect((await world.ask('GET /v1/keys?limit=1000')).text).not.toContain(key);
    expect((await world.ask(`GET /v1/audit?requestId=${id}`)).text).not.toContain(key);
    expect((await world.ask('GET /v1/audit?limit=1000')).text).not.toContain(key);
  },
  'name: 1 to 100 characters': {
    missing: keyRefused({ name: undefined }, malformed('/name')),
    '0': keyRefused({ name: '' }, malformed('/name')),
    '1': newKey({ name: 'k' }),
    '100': newKey({ name: '😀'.repeat(100) }),
    '101': keyRefused({ name: '😀'.repeat(101) }, malformed('/name')),
    'a number': keyRefused({ name: 1 }, malformed('/name')),
  },
  'Create: takes no other members': keyRefused({ key: 'pk_mine' }, malformed('/key')),
  'scope: read, write, admin or mcp': {
    missing: keyRefused({ scope: undefined }, malformed('/scope')),
    another: keyRefused({ scope: 'root' }, malformed('/scope')),
    'in other letters': keyRefused({ scope: 'Read' }, malformed('/scope')),
    null: keyRefused({ scope: null }, malformed('/scope')),
    ...Object.fromEntries(
      ['read', 'write', 'admin', 'mcp'].map((scope) => [scope, newKey({ scope })]),
    ),
  },
  'workspace: one that there is, or none': {
    none: newKey({ workspace: null }),
    another: keyRefused({ workspace: 'nothing000000' }, NO_WORKSPACE),
    'a number': keyRefused({ workspace: 1 }, malformed('/workspace')),
  },
  'expiresAt: a time to come, or none': {
    none: newKey({ expiresAt: null }),
    'to come': newKey({ expiresAt: '2999-01-01T00:00:00Z' }),
    gone: keyRefused({ expiresAt: '2020-01-01T00:00:00Z' }, malformed('/expiresAt')),
    'no time': keyRefused({ expiresAt: 'tomorrow' }, malformed('/expiresAt')),
  },
  'Revoke: no response, and the key is 401 at once': async (world) => {
    const { id, key } = await world.key({});
    expect(await statusWith(world, key)).toBe(200);
    const { status, text } = await world.ask(`DELETE /v1/keys/${id}`);
    expect([status, text]).toEqual([200, '']);
    expectRefused(await world.ask('GET /v1/pipelines', { headers: bearer(key) }), NO_KEY);
  },
  'Revoke: key does not exist': {
    'of nobody': refuses('DELETE /v1/keys/nothing000000', NONE, NO_API_KEY),
    impossible: refuses('DELETE /v1/keys/%00', NONE, NO_API_KEY),
    twice: async (world) => {
      const { id } = await world.key({});
      await world.done(`DELETE /v1/keys/${id}`);
      expectRefused(await world.ask(`DELETE /v1/keys/${id}`), NO_API_KEY);
    },
  },
  'List: names, scopes and hints, no keys': async (world) => {
    const { id, key } = await world.key({ name: 'Listed', scope: 'write' });
    const found = (await keysSeenBy(world)).find((each) => each['id'] === id);
    expect(found).toEqual({
      id,
      name: 'Listed',
      scope: 'write',
      workspace: null,
      hint: `${key.slice(0, 4)}…${key.slice(-4)}`,
      expiresAt: null,
    });
    expect(JSON.stringify(found)).not.toContain(key);
    expect(JSON.stringify(found)).not.toContain(createHash('sha256').update(key).digest('hex'));
  },
  'a typo is 401': async (world) => {
    const { key } = await world.key({});
    const last = key.endsWith('0') ? '1' : '0';
    for (const wrong of [key.slice(0, -1) + last, key.slice(0, -1), `${key}0`, key.slice(3)])
      expect(await statusWith(world, wrong)).toBe(401);
  },
  'a key of a workspace acts on it, without the header': async (world) => {
    const { key } = await world.key({ workspace: world.ids.workspace });
    const { json: current } = await world.ask('GET /v1/workspaces/current', {
      headers: { ...bearer(key) },
    });
    expect(current).toMatchObject({ id: world.ids.workspace });
  },
  'a key of a workspace with another in the header is 404': async (world) => {
    const { key } = await world.key({ workspace: world.ids.workspace });
    const { ids } = await world.neighbour();
    const headers = { ...bearer(key), ...within(ids.workspace) };
    expectRefused(await world.ask('GET /v1/workspaces/current', { headers }), NO_WORKSPACE);
  },
  'a key of a workspace sees and makes keys of it only': async (world) => {
    const { key } = await world.key({ workspace: world.ids.workspace, scope: 'admin' });
    const other = await world.key({});
    const seen = await keysSeenBy(world, key);
    expect(seen.every((each) => each['workspace'] === world.ids.workspace)).toBe(true);
    const headers = { ...bearer(key), ...json({}).headers };
    expectRefused(await world.ask(`DELETE /v1/keys/${other.id}`, { headers }), NO_API_KEY);
    const { ids } = await world.neighbour();
    const foreign = { ...KEY, workspace: ids.workspace };
    expectRefused(
      await world.ask('POST /v1/keys', { headers, body: JSON.stringify(foreign) }),
      NO_WORKSPACE,
    );
    const made = await world.ask('POST /v1/keys', { headers, body: JSON.stringify(KEY) });
    const record = (await keysSeenBy(world)).find((each) => each['id'] === made.json['id']);
    expect(record).toMatchObject({ workspace: world.ids.workspace });
  },
  'scope read: every GET and preview, nothing else': lets('read', ['read']),
  'scope write: not keys, workspaces, warehouse changes, organization': lets('write', [
    'read',
    'write',
  ]),
  'scope admin: everything': lets('admin', ['read', 'write', 'admin']),
  'scope mcp: nothing but the MCP server': lets('mcp', []),
  'the bootstrap key is of scope admin': async (world) => {
    expect(await keysSeenBy(world)).toContainEqual(expect.objectContaining({ scope: 'admin' }));
    expect((await world.ask('PUT /v1/warehouse/mode', json({ mode: 'Normal' }))).status).toBe(200);
  },
};

export const WORKSPACES: Table = {
  'every endpoint: workspace does not exist': ofEvery(
    EVERY_CALL,
    within('nothing000000'),
    NO_WORKSPACE,
  ),
  'List platforms does not ask for a workspace': answers(
    'GET /v1/warehouse/platforms',
    { headers: within('nothing000000') },
    {},
  ),
  'an organization key without the header is 404 when there are several': async (world) => {
    const { status, text } = await fetch(`${world.installation.address}/v1/workspaces/current`, {
      headers: bearer(world.installation.apiKey),
    }).then(async (response) => ({ status: response.status, text: await response.text() }));
    expect([status, text]).toEqual([
      404,
      '{"error":{"code":"WorkspaceNotExist","message":"workspace does not exist"}}',
    ]);
  },
  'Create: answers the id, of a workspace with its warehouse': async (world) => {
    const { status, json: made } = await newWorkspace(world, { name: 'New' });
    expect(status).toBe(200);
    const headers = within(made['id']);
    const current = await world.ask('GET /v1/workspaces/current', { headers });
    expect(current.json).toEqual({ id: made['id'], name: 'New' });
    const warehouse = await world.ask('GET /v1/warehouse', { headers });
    expect(warehouse.json).toMatchObject({ platform: 'PostgreSQL', mode: 'Normal' });
    await world.ask('DELETE /v1/workspaces/current', { headers });
  },
  'name: 1 to 100 characters': {
    missing: async (world) => {
      expectRefused(await newWorkspace(world, { name: undefined }), malformed('/name'));
    },
    '0': async (world) => {
      expectRefused(await newWorkspace(world, { name: '' }), malformed('/name'));
    },
    ...Object.fromEntries(
      ['w', '😀'.repeat(100)].map((name): [string, Run] => [
        String(Array.from(name).length),
        async (world) => {
          const { status, json: made } = await newWorkspace(world, { name });
          expect(status).toBe(200);
          const headers = within(made['id']);
          const current = await world.ask('GET /v1/workspaces/current', { headers });
          expect(current.json).toEqual({ id: made['id'], name });
          await world.ask('DELETE /v1/workspaces/current', { headers });
        },
      ]),
    ),
    '101': async (world) => {
      expectRefused(await newWorkspace(world, { name: 'a'.repeat(101) }), malformed('/name'));
    },
    '0 at Update': refuses('PUT /v1/workspaces/current', json({ name: '' }), malformed('/name')),
    '101 at Update': refuses(
      'PUT /v1/workspaces/current',
      json({ name: 'a'.repeat(101) }),
      malformed('/name'),
    ),
    '100 at Update': answers('PUT /v1/workspaces/current', json({ name: '😀'.repeat(100) })),
    '1 at Update': answers('PUT /v1/workspaces/current', json({ name: 'w' })),
  },
  'warehouse: platform and settings': {
    missing: refuses('POST /v1/workspaces', json({ name: 'W' }), malformed('/warehouse')),
    'a platform that is none': refuses(
      'POST /v1/workspaces',
      json({ name: 'W', warehouse: { ...WAREHOUSE, platform: 'Abacus' } }),
      malformed('/warehouse/platform'),
    ),
    'no platform': refuses(
      'POST /v1/workspaces',
      json({ name: 'W', warehouse: { settings: {} } }),
      malformed('/warehouse/platform'),
    ),
    'an unknown member': refuses(
      'POST /v1/workspaces',
      json({ name: 'W', warehouse: WAREHOUSE, mode: 'Normal' }),
      malformed('/mode'),
    ),
    'an unknown member of the warehouse': refuses(
      'POST /v1/workspaces',
      json({ name: 'W', warehouse: { ...WAREHOUSE, mode: 'Normal' } }),
      malformed('/warehouse/mode'),
    ),
    'settings that are none': refuses(
      'POST /v1/workspaces',
      json({ name: 'W', warehouse: WAREHOUSE }),
      malformed('/warehouse/settings/port'),
    ),
  },
  'warehouse: of nobody else, and reachable': {
    'of another workspace': async (world) => {
      const { settings } = await world.done('GET /v1/warehouse');
      const { Schema } = settings as Json;
      const warehouse = {
        platform: 'PostgreSQL',
        settings: { ...warehouseOf(world.databaseUrl), schema: Schema },
      };
      const answer = await newWorkspace(world, { warehouse });
      expectRefused(answer, NO_WAREHOUSE);
      expect(answer.text).toContain('schema is not empty');
    },
    unreachable: async (world) => {
      const settings = { ...warehouseOf(world.databaseUrl), port: 1 };
      expectRefused(
        await newWorkspace(world, { warehouse: { platform: 'PostgreSQL', settings } }),
        NO_WAREHOUSE,
      );
    },
  },
  'List: workspaces and cursor': async (world) => {
    const { workspaces, cursor } = await world.done('GET /v1/workspaces?limit=1000');
    expect(cursor).toBe('');
    expect((workspaces as Json[]).map(({ id }) => id)).toContain(world.ids.workspace);
  },
  'List: a key of a workspace sees that one only': async (world) => {
    const headers = bearer((await world.key({ workspace: world.ids.workspace })).key);
    const { json: list } = await world.ask('GET /v1/workspaces', { headers });
    expect((list['workspaces'] as Json[]).map(({ id }) => id)).toEqual([world.ids.workspace]);
  },
  'Create: no key of one workspace may': async (world) => {
    const members = { workspace: world.ids.workspace, scope: 'admin' };
    const headers = bearer((await world.key(members)).key);
    expectRefused(await world.ask('POST /v1/workspaces', { headers }), FORBIDDEN);
  },
  'Update: no response, honours If-Match': async (world) => {
    const path = '/v1/workspaces/current';
    const put = (ifMatch: string, name: string) =>
      world.ask(`PUT ${path}`, {
        headers: { ...json({}).headers, 'If-Match': ifMatch },
        body: JSON.stringify({ name }),
      });
    expectRefused(await put('"77"', 'Stale'), CONFLICT);
    const { status, text } = await put(await world.etagOf(path), 'Renamed');
    expect([status, text]).toEqual([200, '']);
    expect(await world.done(`GET ${path}`)).toEqual({ id: world.ids.workspace, name: 'Renamed' });
  },
  'Delete: no response, and everything in it is gone': async (world) => {
    const { json: made } = await newWorkspace(world);
    const headers = within(made['id']);
    const source = await world.ask('POST /v1/connections', {
      headers: { ...json({}).headers, ...headers },
      body: JSON.stringify({ name: 'S', role: 'Source', connector: 'nodejs' }),
    });
    const { key } = await world.key({ workspace: made['id'] });
    const keys = await world.ask(
      `GET /v1/connections/${String(source.json['id'])}/event-write-keys`,
      { headers },
    );
    const [writeKey = ''] = keys.json['keys'] as string[];
    const { status, text } = await world.ask('DELETE /v1/workspaces/current', { headers });
    expect([status, text]).toEqual([200, '']);
    expectRefused(await world.ask('GET /v1/workspaces/current', { headers }), NO_WORKSPACE);
    const orphan = await world.ask('GET /v1/workspaces/current', {
      headers: { ...bearer(key), ...headers },
    });
    expectRefused(orphan, NO_KEY);
    const body = JSON.stringify({ type: 'track', event: 'E', userId: 'ada' });
    expectRefused(await world.ask('POST /v1/events', { headers: bearer(writeKey), body }), NO_KEY);
    expect(await statusWith(world, key, 'GET /v1/keys')).toBe(401);
    expect((await keysSeenBy(world)).map(({ workspace }) => workspace)).not.toContain(made['id']);
  },
  'Delete: frees its warehouse': async (world) => {
    const settings = warehouseOf(world.databaseUrl);
    const warehouse = { platform: 'PostgreSQL', settings };
    const { json: made } = await newWorkspace(world, { warehouse });
    expectRefused(await newWorkspace(world, { warehouse }), NO_WAREHOUSE);
    const headers = within(made['id']);
    expect((await world.ask('DELETE /v1/workspaces/current', { headers })).status).toBe(200);
    expect((await newWorkspace(world, { warehouse })).status).toBe(200);
    expectRefused(await newWorkspace(world, { warehouse }), NO_WAREHOUSE);
  },
};

export const AUDIT: Table = {
  'every fact has actor, request, object, version, before and after': async (world) => {
    const headers = {
      ...json({}).headers,
      'Request-Id': `audited-${randomBytes(6).toString('hex')}`,
    };
    const created = await world.ask('POST /v1/connections', {
      headers,
      body: JSON.stringify({ name: 'Audited', role: 'Source', connector: 'nodejs' }),
    });
    const id = created.json['id'];
    const { facts } = await world.done(`GET /v1/audit?object=${String(id)}`);
    const [last, first] = facts as Json[];
    expect(last?.['position']).toBe(Number(first?.['position']) + 1);
    expect(first).toMatchObject({
      type: 'ConnectionCreated',
      requestId: headers['Request-Id'],
      object: { kind: 'connection', id },
      version: 1,
      before: null,
      after: { name: 'Audited', role: 'Source' },
    });
    expect(typeof first?.['actor']).toBe('string');
  },
  'object, type, actor, requestId, from and to choose facts': async (world) => {
    const id = await world.made('POST /v1/connections', {
      name: 'Chosen',
      role: 'Destination',
      connector: 'http',
      settings: { url: 'https://example.com/' },
    });
    const [fact] = (await world.done(`GET /v1/audit?object=${id}`))['facts'] as Json[];
    const { actor, requestId, time } = fact as Record<string, string>;
    const find = async (query: string) =>
      ((await world.done(`GET /v1/audit?object=${id}&${query}`))['facts'] as Json[]).length;
    expect(await find('type=ConnectionCreated')).toBe(1);
    expect(await find('type=ConnectionDeleted')).toBe(0);
    expect(await find(`actor=${String(actor)}`)).toBe(1);
    expect(await find('actor=nobody')).toBe(0);
    expect(await find(`requestId=${String(requestId)}`)).toBe(1);
    expect(await find(`from=${String(time)}`)).toBe(1);
    expect(await find('from=2999-01-01T00:00:00Z')).toBe(0);
    expect(await find('to=2020-01-01T00:00:00Z')).toBe(0);
  },
  'newest first, in pages to an empty cursor': async (world) => {
    const positions: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await world.done(`GET /v1/audit?limit=3&cursor=${cursor}`);
      positions.push(...(page['facts'] as { position: number }[]).map(({ position }) => position));
      cursor = page['cursor'] === '' ? undefined : String(page['cursor']);
    }
    expect(positions).toEqual([...positions].sort((one, other) => other - one));
    expect(new Set(positions).size).toBe(positions.length);
  },
  'a bad parameter is 400': {
    from: refuses('GET /v1/audit?from=today', NONE, malformed('/from')),
    to: refuses('GET /v1/audit?to=today', NONE, malformed('/to')),
    limit: refuses('GET /v1/audit?limit=0', NONE, malformed('/limit')),
    cursor: refuses('GET /v1/audit?cursor=x', NONE, malformed('/cursor')),
  },
  'the head of the chain moves with every fact': async (world) => {
    const head = async () => (await world.done('GET /v1/audit/head'))['workspace'] as Json;
    const before = await head();
    const id = await world.made('POST /v1/connections', {
      name: 'Chained',
      role: 'Source',
      connector: 'nodejs',
    });
    const [fact] = (await world.done(`GET /v1/audit?object=${id}`))['facts'] as Json[];
    expect(await head()).toEqual({ position: fact?.['position'], hash: fact?.['hash'] });
    expect(before['hash']).not.toBe(fact?.['hash']);
  },
  'a key of a workspace sees nothing of what stands above it': async (world) => {
    await world.key({});
    const headers = bearer((await world.key({ workspace: world.ids.workspace })).key);
    const { json: list } = await world.ask('GET /v1/audit?limit=1000', { headers });
    const kinds = new Set(
      (list['facts'] as { object: { kind: string } }[]).map(({ object }) => object.kind),
    );
    expect(kinds).not.toContain('organization');
    expect((list['facts'] as Json[]).length).toBeGreaterThan(0);
    const { json: head } = await world.ask('GET /v1/audit/head', { headers });
    expect(head).toMatchObject({ workspace: {}, organization: null });
  },
  'nothing of another workspace is in it': async (world) => {
    const { ids } = await world.neighbour();
    const { text } = await world.ask('GET /v1/audit?limit=1000');
    expect(text).not.toContain(ids.pipeline);
  },
  'an object as it was: at': async (world) => {
    const id = await world.made('POST /v1/connections', {
      name: 'Before',
      role: 'Source',
      connector: 'nodejs',
    });
    await sleep(5);
    const at = new Date().toISOString();
    await sleep(5);
    await world.done(`PUT /v1/connections/${id}`, { name: 'After' });
    const ahead = new Date(Date.now() + 5_000).toISOString();
    const early = await world.ask(`GET /v1/connections/${id}?at=${ahead}`);
    expectRefused(early, malformed('/at'));
    await sleep(1_000);
    expect(await world.done(`GET /v1/connections/${id}?at=${at}`)).toMatchObject({
      name: 'Before',
    });
    expect(await world.done(`GET /v1/connections/${id}`)).toMatchObject({ name: 'After' });
  },
};
