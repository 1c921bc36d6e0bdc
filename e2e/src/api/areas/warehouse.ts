import { withDatabase } from '../database';
import {
  CONFLICT,
  type ErrorBody,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_METHOD,
  NONE,
  type Refused,
  refused,
} from '../refusal';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, type Json, warehouseOf, type World } from '../world';

/** Settings of a server that does not exist. */
const SETTINGS = {
  host: '127.0.0.1',
  port: 1,
  username: 'u',
  password: 'p',
  database: 'd',
  schema: 's',
};

const SNOWFLAKE = {
  account: 'acme-main',
  username: 'u',
  password: 'p',
  role: 'r',
  database: 'd',
  schema: 's',
  warehouse: 'w',
};

const MODES = ['Normal', 'Inspection', 'Maintenance'];

const invalid = (path: string): Refused =>
  refused('InvalidWarehouseSettings', 'data warehouse settings are not valid', path);
const DIFFERENT = refused('DifferentWarehouse', 'data warehouse is a different data warehouse');
const NOT_READ_ONLY = refused(
  'NotReadOnlyMCPSettings',
  'warehouse MCP settings are not read-only',
  '/mcpSettings',
);

const get = (world: World): Promise<Json> => world.done('GET /v1/warehouse');

/** The shown settings with the member names of a request. */
const settingsOf = async (world: World): Promise<Json> =>
  Object.fromEntries(
    Object.entries((await get(world))['settings'] as Json).map(([name, value]) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      value,
    ]),
  );

const put = (world: World, members: object, path = '/v1/warehouse') =>
  world.ask(`PUT ${path}`, json(members));

/** Cases of one rule, at Update and at Test. */
const both =
  (make: (world: World) => Promise<object>, because: Refused): Run =>
  async (world) => {
    const body = await make(world);
    expectRefused(await put(world, body, '/v1/warehouse/test'), because);
    expectRefused(await put(world, body), because);
  };

const form = (members: object, because: Refused): Run =>
  both(() => Promise.resolve({ settings: { ...SETTINGS, ...members } }), because);

let readers = 0;

/** Settings of a user with read-only access to the warehouse. */
const reader = async (world: World): Promise<Json> => {
  const settings = await settingsOf(world);
  readers += 1;
  const username = `reader_${String(readers)}`;
  await withDatabase(world, async (client) => {
    await client.query(`CREATE ROLE ${username} LOGIN PASSWORD 'reading'`);
    await client.query(`GRANT USAGE ON SCHEMA ${String(settings['schema'])} TO ${username}`);
    await client.query(
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${String(settings['schema'])} TO ${username}`,
    );
  });
  return { ...settings, username, password: 'reading' };
};

/** Asks the MCP server for a row. */
const mcpQuery = async (world: World, key: string): Promise<unknown> => {
  const params = { name: 'query', arguments: { statement: 'SELECT 1' } };
  const { json: answer } = await world.ask('POST /mcp', {
    headers: {
      ...bearer(key),
      ...{ Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return answer;
};

/** Cases of the length limits of a text member; a valid length fails only when connecting. */
const lengths = (member: string, max: number): Record<string, Run> => ({
  '0': form({ [member]: '' }, malformed(`/settings/${member}`)),
  '1': form({ [member]: 'x' }, invalid('/settings')),
  [String(max)]: form({ [member]: 'x'.repeat(max) }, invalid('/settings')),
  [String(max + 1)]: form({ [member]: 'x'.repeat(max + 1) }, malformed(`/settings/${member}`)),
  NUL: form({ [member]: 'a\0' }, malformed(`/settings/${member}`)),
  'of another type': form({ [member]: 5 }, malformed(`/settings/${member}`)),
  null: form({ [member]: null }, malformed(`/settings/${member}`)),
});

/** As {@link lengths}, counted in bytes of UTF-8. */
const bytes = (member: string, max: number): Record<string, Run> => ({
  ...lengths(member, max),
  [`${String(max)} in characters of two bytes`]: form(
    { [member]: `${'é'.repeat((max - 1) / 2)}e` },
    invalid('/settings'),
  ),
  [`${String(max + 1)} in characters of two bytes`]: form(
    { [member]: 'é'.repeat((max + 1) / 2) },
    malformed(`/settings/${member}`),
  ),
});

const snowflake = (members: object, because: Refused): Run =>
  refuses(
    'POST /v1/workspaces',
    json({
      name: 'W',
      warehouse: { platform: 'Snowflake', settings: { ...SNOWFLAKE, ...members } },
    }),
    because,
  );

export const WAREHOUSE: Table = {
  'Get: platform, settings with initial capitals, mcpSettings and mode': async (world) => {
    const { platform, settings, mcpSettings, ...rest } = await (
      await world.neighbour()
    ).done('GET /v1/warehouse');
    expect({ platform, mcpSettings, rest }).toEqual({
      platform: 'PostgreSQL',
      mcpSettings: null,
      rest: { mode: 'Normal' },
    });
    expect(Object.keys(settings as object)).toEqual([
      'Host',
      'Port',
      'Username',
      'Password',
      'Database',
      'Schema',
    ]);
  },
  'Get: the password is returned to scope admin, masked for others': async (world) => {
    const settings = await settingsOf(world);
    const mcpSettings = await reader(world);
    await world.done('PUT /v1/warehouse', { settings, mcpSettings });
    const { password } = warehouseOf(world.databaseUrl);
    const shown = (own: unknown, ofMcp: unknown): object => ({
      settings: expect.objectContaining({ Password: own }) as object,
      mcpSettings: expect.objectContaining({ Password: ofMcp }) as object,
    });
    expect(await get(world)).toMatchObject(shown(password, 'reading'));
    for (const scope of ['read', 'write']) {
      const headers = bearer((await world.key({ scope })).key);
      const { status, text, json: seen } = await world.ask('GET /v1/warehouse', { headers });
      expect(status).toBe(200);
      expect(text).not.toContain(String(password));
      expect(text).not.toContain('"reading"');
      expect(seen).toMatchObject(shown(`••••${String(password).slice(-4)}`, '••••ding'));
    }
    await world.done('PUT /v1/warehouse', { settings });
  },
  'Get: needs scope read, everything else admin': async (world) => {
    const headers = bearer((await world.key({ scope: 'write' })).key);
    for (const call of [
      'PUT /v1/warehouse',
      'PUT /v1/warehouse/test',
      'PUT /v1/warehouse/mode',
      'POST /v1/warehouse/repair',
    ])
      expectRefused(await world.ask(call, { headers }), FORBIDDEN);
  },
  'Update: no response': async (world) => {
    const settings = await settingsOf(world);
    const { status, text } = await put(world, { settings });
    expect([status, text]).toEqual([200, '']);
  },
  'Update: settings are required': {
    missing: refuses('PUT /v1/warehouse', json({}), malformed('/settings')),
    null: refuses('PUT /v1/warehouse', json({ settings: null }), malformed('/settings')),
    'no object': refuses('PUT /v1/warehouse', json({ settings: [] }), malformed('/settings')),
    'at a test': refuses('PUT /v1/warehouse/test', json({}), malformed('/settings')),
  },
  'Update: platform is not part of it': refuses(
    'PUT /v1/warehouse',
    json({ settings: SETTINGS, platform: 'Snowflake' }),
    malformed('/platform'),
  ),
  'Update: mode is Normal, Inspection or Maintenance; omitted it is Normal': {
    another: refuses(
      'PUT /v1/warehouse',
      json({ settings: SETTINGS, mode: 'Off' }),
      malformed('/mode'),
    ),
    each: async (world) => {
      const settings = await settingsOf(world);
      for (const mode of ['Inspection', 'Maintenance', 'Normal']) {
        expect((await put(world, { settings, mode })).status).toBe(200);
        expect(await get(world)).toMatchObject({ mode });
        const tried = await put(world, { settings }, '/v1/warehouse?dryRun=true');
        expect(tried.json).toEqual({ mode: { from: mode, to: 'Normal' } });
        expect((await put(world, { settings })).status).toBe(200);
        expect(await get(world)).toMatchObject({ mode: 'Normal' });
      }
    },
    'at a test': refuses(
      'PUT /v1/warehouse/test',
      json({ settings: SETTINGS, mode: 'Normal' }),
      malformed('/mode'),
    ),
  },
  'Update: cancelIncompatibleOperations is a boolean': {
    text: refuses(
      'PUT /v1/warehouse',
      json({ settings: SETTINGS, cancelIncompatibleOperations: 'yes' }),
      malformed('/cancelIncompatibleOperations'),
    ),
    either: async (world) => {
      const settings = await settingsOf(world);
      for (const cancelIncompatibleOperations of [true, false])
        expect((await put(world, { settings, cancelIncompatibleOperations })).status).toBe(200);
    },
  },
  'Update: mcpSettings that are read-only are kept, omitted or null cleared': async (world) => {
    const settings = await settingsOf(world);
    const mcpSettings = await reader(world);
    for (const none of [{ mcpSettings: null }, {}]) {
      expect((await put(world, { settings, mcpSettings })).status).toBe(200);
      expect(await get(world)).toMatchObject({
        mcpSettings: { Username: mcpSettings['username'] },
      });
      expect((await put(world, { settings, ...none })).status).toBe(200);
      expect(await get(world)).toMatchObject({ mcpSettings: null });
    }
  },
  'Update and Test: data warehouse is a different data warehouse': {
    'of another workspace': both(async (world) => {
      const { settings } = await (await world.neighbour()).done('GET /v1/warehouse');
      const { Schema } = settings as Json;
      return { settings: { ...(await settingsOf(world)), schema: Schema } };
    }, DIFFERENT),
    'of the MCP server': both(async (world) => {
      const other = await world.neighbour();
      return { settings: await settingsOf(world), mcpSettings: await reader(other) };
    }, DIFFERENT),
  },
  'Update and Test: data warehouse settings are not valid': {
    'a server that is none': form({}, invalid('/settings')),
    'a wrong password': both(async (world) => {
      return { settings: { ...(await settingsOf(world)), username: 'nobody', password: 'x' } };
    }, invalid('/settings')),
    'a schema that is none': both(
      async (world) => ({ settings: { ...(await settingsOf(world)), schema: 'nowhere' } }),
      invalid('/settings'),
    ),
    'a server that must not be reached': form({ host: '169.254.169.254' }, invalid('/settings')),
    "with the server's reason": async (world) => {
      const { text } = await put(world, { settings: SETTINGS }, '/v1/warehouse/test');
      const { error } = JSON.parse(text) as ErrorBody;
      expect(error.details).toEqual([{ path: '/settings', message: 'connection was refused' }]);
    },
    'an MCP user that is none': both(async (world) => {
      const settings = await settingsOf(world);
      return { settings, mcpSettings: { ...settings, username: 'nobody', password: 'x' } };
    }, invalid('/mcpSettings')),
  },
  'Update and Test: warehouse MCP settings are not read-only': {
    'a superuser': both(async (world) => {
      const settings = await settingsOf(world);
      return { settings, mcpSettings: settings };
    }, NOT_READ_ONLY),
    ...Object.fromEntries(
      ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'].map((right): [string, Run] => [
        right,
        both(async (world) => {
          const settings = await settingsOf(world);
          const mcpSettings = await reader(world);
          await withDatabase(world, (client) =>
            client.query(
              `GRANT ${right} ON ALL TABLES IN SCHEMA ${String(settings['schema'])} TO ${String(mcpSettings['username'])}`,
            ),
          );
          return { settings, mcpSettings };
        }, NOT_READ_ONLY),
      ]),
    ),
    CREATE: both(async (world) => {
      const settings = await settingsOf(world);
      const mcpSettings = await reader(world);
      await withDatabase(world, (client) =>
        client.query(
          `GRANT CREATE ON SCHEMA ${String(settings['schema'])} TO ${String(mcpSettings['username'])}`,
        ),
      );
      return { settings, mcpSettings };
    }, NOT_READ_ONLY),
    ownership: both(async (world) => {
      const settings = await settingsOf(world);
      const mcpSettings = await reader(world);
      const schema = `owned_by_${String(mcpSettings['username'])}`;
      await withDatabase(world, (client) =>
        client.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${String(mcpSettings['username'])}`),
      );
      return { settings, mcpSettings };
    }, NOT_READ_ONLY),
  },
  'Update and Test: order of checks': {
    'form of both before connecting': both(
      () => Promise.resolve({ settings: SETTINGS, mcpSettings: {} }),
      malformed('/mcpSettings/host'),
    ),
    'settings before mcpSettings': both(async (world) => {
      const settings = await settingsOf(world);
      return { settings: { ...settings, username: 'nobody' }, mcpSettings: settings };
    }, invalid('/settings')),
    'whose the warehouse is before mcpSettings': both(async (world) => {
      const { settings } = await (await world.neighbour()).done('GET /v1/warehouse');
      const own = await settingsOf(world);
      const { Schema } = settings as Json;
      return { settings: { ...own, schema: Schema }, mcpSettings: SETTINGS };
    }, DIFFERENT),
    'whose the warehouse of the MCP server is before its rights': both(async (world) => {
      const other = await world.neighbour();
      return { settings: await settingsOf(world), mcpSettings: await settingsOf(other) };
    }, DIFFERENT),
  },
  'Test: no response, and changes nothing': async (world) => {
    const before = await world.ask('GET /v1/warehouse');
    const settings = await settingsOf(world);
    const tested = await put(
      world,
      { settings, mcpSettings: await reader(world) },
      '/v1/warehouse/test',
    );
    expect([tested.status, tested.text]).toEqual([200, '']);
    const after = await world.ask('GET /v1/warehouse');
    expect([after.text, after.headers['etag']]).toEqual([before.text, before.headers['etag']]);
  },
  'PostgreSQL: host': {
    missing: form({ host: undefined }, malformed('/settings/host')),
    ...bytes('host', 253),
  },
  'PostgreSQL: port': {
    missing: form({ port: undefined }, malformed('/settings/port')),
    '0': form({ port: 0 }, malformed('/settings/port')),
    '1': form({ port: 1 }, invalid('/settings')),
    '65535': form({ port: 65_535 }, invalid('/settings')),
    '65536': form({ port: 65_536 }, malformed('/settings/port')),
    text: form({ port: '5432' }, malformed('/settings/port')),
    fraction: form({ port: 1.5 }, malformed('/settings/port')),
  },
  'PostgreSQL: username': {
    missing: form({ username: undefined }, malformed('/settings/username')),
    ...bytes('username', 63),
  },
  'PostgreSQL: password, not required': {
    missing: form({ password: undefined }, invalid('/settings')),
    '0': form({ password: '' }, invalid('/settings')),
    '100': form({ password: '😀'.repeat(100) }, invalid('/settings')),
    '101': form({ password: '😀'.repeat(101) }, malformed('/settings/password')),
    'of another type': form({ password: 5 }, malformed('/settings/password')),
    null: form({ password: null }, malformed('/settings/password')),
  },
  'PostgreSQL: database': {
    missing: form({ database: undefined }, malformed('/settings/database')),
    ...bytes('database', 63),
  },
  'PostgreSQL: schema': {
    missing: form({ schema: undefined }, malformed('/settings/schema')),
    ...lengths('schema', 63),
    'of the database itself': form({ schema: 'pg_catalog' }, malformed('/settings/schema')),
    'almost of the database itself': form({ schema: 'pgcatalog' }, invalid('/settings')),
    'with an underscore first': form({ schema: '_a1' }, invalid('/settings')),
    'with a digit first': form({ schema: '1a' }, malformed('/settings/schema')),
    'with a letter of no alphabet of ours': form({ schema: 'é' }, malformed('/settings/schema')),
    'no name': form({ schema: 'a-b' }, malformed('/settings/schema')),
  },
  'PostgreSQL: sslMode is one of four, not required': {
    another: form({ sslMode: 'allow' }, malformed('/settings/sslMode')),
    'of another type': form({ sslMode: true }, malformed('/settings/sslMode')),
    ...Object.fromEntries(
      ['disable', 'prefer', 'require', 'verify-full'].map((sslMode) => [
        sslMode,
        form({ sslMode }, invalid('/settings')),
      ]),
    ),
  },
  'PostgreSQL: no other members': form({ role: 'R' }, malformed('/settings/role')),
  'mcpSettings: the same fields as settings': {
    'without a host': both(
      () => Promise.resolve({ settings: SETTINGS, mcpSettings: { ...SETTINGS, host: undefined } }),
      malformed('/mcpSettings/host'),
    ),
    'with a port out of range': both(
      () => Promise.resolve({ settings: SETTINGS, mcpSettings: { ...SETTINGS, port: 0 } }),
      malformed('/mcpSettings/port'),
    ),
    'with an unknown member': both(
      () => Promise.resolve({ settings: SETTINGS, mcpSettings: { ...SETTINGS, role: 'R' } }),
      malformed('/mcpSettings/role'),
    ),
    'no object': both(
      () => Promise.resolve({ settings: SETTINGS, mcpSettings: 'x' }),
      malformed('/mcpSettings'),
    ),
  },
  'Snowflake: account': {
    missing: snowflake({ account: undefined }, malformed('/warehouse/settings/account')),
    '2': snowflake({ account: 'a-' }, malformed('/warehouse/settings/account')),
    '3': snowflake({ account: 'a-b' }, invalid('/warehouse/settings')),
    'by a point': snowflake({ account: 'a.b' }, invalid('/warehouse/settings')),
    '255': snowflake({ account: `a-${'b'.repeat(253)}` }, invalid('/warehouse/settings')),
    '256': snowflake({ account: `a-${'b'.repeat(254)}` }, malformed('/warehouse/settings/account')),
    ...Object.fromEntries(
      ['acme', 'a-b-c', 'xy12345.eu-central-1', 'xy12345.eu-central-1.aws'].map((account) => [
        account,
        snowflake({ account }, invalid('/warehouse/settings')),
      ]),
    ),
    ...Object.fromEntries(
      ['a.snowflakecomputing.com', 'https://a-b', '127.0.0.1'].map((account) => [
        account,
        snowflake({ account }, malformed('/warehouse/settings/account')),
      ]),
    ),
    'letters, digits and _': snowflake({ account: 'A_1-b_2' }, invalid('/warehouse/settings')),
    'other letters': snowflake({ account: 'é-b' }, malformed('/warehouse/settings/account')),
  },
  'Snowflake: connecting': snowflake({}, invalid('/warehouse/settings')),
  'Snowflake: no other members': snowflake({ host: 'h' }, malformed('/warehouse/settings/host')),
  ...Object.fromEntries(
    ['username', 'password', 'role', 'database', 'schema', 'warehouse'].map((member) => [
      `Snowflake: ${member}`,
      {
        missing: snowflake({ [member]: undefined }, malformed(`/warehouse/settings/${member}`)),
        '0': snowflake({ [member]: '' }, malformed(`/warehouse/settings/${member}`)),
        '1': snowflake({ [member]: 'x' }, invalid('/warehouse/settings')),
        '255': snowflake({ [member]: 'x'.repeat(255) }, invalid('/warehouse/settings')),
        '256': snowflake({ [member]: 'x'.repeat(256) }, malformed(`/warehouse/settings/${member}`)),
        'of another type': snowflake({ [member]: 5 }, malformed(`/warehouse/settings/${member}`)),
      },
    ]),
  ),
  'Update mode: no response': answers('PUT /v1/warehouse/mode', json({ mode: 'Normal' })),
  'Update mode: mode is one of three; omitted it is Normal': {
    omitted: async (world) => {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Maintenance' });
      expect(await world.done('PUT /v1/warehouse/mode?dryRun=true', {})).toEqual({
        mode: { from: 'Maintenance', to: 'Normal' },
      });
      await answers('PUT /v1/warehouse/mode', json({}))(world);
      expect(await get(world)).toMatchObject({ mode: 'Normal' });
    },
    null: refuses('PUT /v1/warehouse/mode', json({ mode: null }), malformed('/mode')),
    'an unknown member': refuses(
      'PUT /v1/warehouse/mode',
      json({ mode: 'Normal', settings: {} }),
      malformed('/settings'),
    ),
    another: refuses('PUT /v1/warehouse/mode', json({ mode: 'normal' }), malformed('/mode')),
  },
  'Update mode: cancelIncompatibleOperations is a boolean': {
    text: refuses(
      'PUT /v1/warehouse/mode',
      json({ mode: 'Normal', cancelIncompatibleOperations: 'yes' }),
      malformed('/cancelIncompatibleOperations'),
    ),
    true: answers(
      'PUT /v1/warehouse/mode',
      json({ mode: 'Normal', cancelIncompatibleOperations: true }),
    ),
    false: answers(
      'PUT /v1/warehouse/mode',
      json({ mode: 'Normal', cancelIncompatibleOperations: false }),
    ),
    null: refuses(
      'PUT /v1/warehouse/mode',
      json({ mode: 'Normal', cancelIncompatibleOperations: null }),
      malformed('/cancelIncompatibleOperations'),
    ),
  },
  'Update mode: every mode may follow every mode': async (world) => {
    for (const from of MODES)
      for (const to of MODES) {
        await world.done('PUT /v1/warehouse/mode', { mode: from });
        await world.done('PUT /v1/warehouse/mode', { mode: to });
        expect(await get(world)).toMatchObject({ mode: to });
      }
    await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
  },
  'Update mode: the present one is a no-op': async (world) => {
    const other = await world.neighbour();
    const etag = await other.etagOf('/v1/warehouse');
    await other.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
    expect(await other.etagOf('/v1/warehouse')).toBe(etag);
  },
  'Update and Update mode: honour If-Match': async (world) => {
    const headers = { ...json({}).headers, 'If-Match': '"99999"' };
    const settings = await settingsOf(world);
    for (const [path, body] of [
      ['/v1/warehouse', { settings }],
      ['/v1/warehouse/mode', { mode: 'Normal' }],
    ] as const)
      expectRefused(
        await world.ask(`PUT ${path}`, { headers, body: JSON.stringify(body) }),
        CONFLICT,
      );
    const etag = await world.etagOf('/v1/warehouse');
    const now = await world.ask('PUT /v1/warehouse/mode', {
      headers: { ...headers, 'If-Match': etag },
      body: '{"mode":"Normal"}',
    });
    expect(now.status).toBe(200);
  },
  'Repair: no response, in every mode': async (world) => {
    for (const mode of ['Inspection', 'Maintenance', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      const { status, text } = await world.ask('POST /v1/warehouse/repair');
      expect([status, text]).toEqual([200, '']);
    }
  },
  'Repair: a healthy warehouse is not changed': async (world) => {
    await world.done('POST /v1/warehouse/repair');
    const etag = await world.etagOf('/v1/warehouse');
    await world.done('POST /v1/warehouse/repair');
    expect(await world.etagOf('/v1/warehouse')).toBe(etag);
  },
  'Repair: another method': refuses('GET /v1/warehouse/repair', NONE, NO_METHOD),
  'Test, update and mode change in every mode': async (world) => {
    const settings = await settingsOf(world);
    for (const mode of ['Inspection', 'Maintenance', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      expect((await put(world, { settings }, '/v1/warehouse/test')).status).toBe(200);
      expect((await put(world, { settings })).status).toBe(200);
    }
  },
  'modes: read profiles and events': async (world) => {
    const lists = ['GET /v1/profiles', 'GET /v1/events'];
    for (const mode of ['Inspection', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      for (const call of lists) expect((await world.ask(call)).status).toBe(200);
    }
    await world.done('PUT /v1/warehouse/mode', { mode: 'Maintenance' });
    try {
      for (const call of [...lists, 'GET /v1/profiles/c0ffee00-0000-4000-8000-000000000001'])
        expectRefused(
          await world.ask(call),
          refused('MaintenanceMode', 'data warehouse is in maintenance mode'),
        );
    } finally {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
    }
  },
  'modes: MCP reads': async (world) => {
    const settings = await settingsOf(world);
    const mcpSettings = await reader(world);
    await world.done('PUT /v1/warehouse', { settings, mcpSettings });
    const { key } = await world.key({ scope: 'mcp', workspace: world.ids.workspace });
    const ask = () => mcpQuery(world, key);
    for (const mode of ['Inspection', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      expect(await ask()).toMatchObject({ result: { content: [{ type: 'text' }] } });
    }
    await world.done('PUT /v1/warehouse/mode', { mode: 'Maintenance' });
    try {
      const text = 'MaintenanceMode: data warehouse is in maintenance mode';
      expect(await ask()).toMatchObject({ result: { isError: true, content: [{ text }] } });
    } finally {
      await world.done('PUT /v1/warehouse', { settings, mode: 'Normal' });
    }
  },
  'modes: identity resolution': async (world) => {
    try {
      for (const mode of ['Inspection', 'Maintenance']) {
        await world.done('PUT /v1/warehouse/mode', { mode });
        expectRefused(
          await world.ask('POST /v1/identity-resolution/start'),
          refused(`${mode}Mode`, `data warehouse is in ${mode.toLowerCase()} mode`),
        );
      }
    } finally {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
    }
  },
  'Intake and delivery go on in every mode': async (world) => {
    for (const mode of ['Inspection', 'Maintenance', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      const messageId = `${world.ids.workspace}-${mode}`;
      const body = JSON.stringify({ type: 'track', event: 'Good', userId: 'ada', messageId });
      const sent = await world.ask('POST /v1/events', {
        headers: bearer(world.ids.writeKey),
        body,
      });
      expect(sent.status).toBe(200);
      await world.arrival(messageId);
    }
  },
  'List platforms: names of both': async (world) => {
    expect(await world.done('GET /v1/warehouse/platforms')).toEqual({
      platforms: [{ name: 'PostgreSQL' }, { name: 'Snowflake' }],
    });
  },
};
