import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client } from 'pg';
import { ApiClient } from '../harness/api-client';
import type { Installation } from '../harness/installation';
import { until } from '../harness/until';
import type { Place } from './place';

const PASSWORD = 'Only-Reads-1';

interface Shown {
  readonly settings: Readonly<Record<string, string | number>>;
}

let installation: Installation;
let api: ApiClient;
let workspace: string;
let owner: Client;
let mcp: McpClient;

const connected = async (key: string): Promise<McpClient> => {
  const client = new McpClient({ name: 'e2e', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${installation.address}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
};

const newKey = async (scope: string): Promise<string> => {
  const made = await api.call('POST', '/v1/keys', { name: 'Assistant', scope, workspace });
  return (made as { key: string }).key;
};

const call = async (name: string, given: Record<string, unknown> = {}) => {
  const { content, isError = false } = await mcp.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  return { text, isError };
};

const query = (statement: string) => call('query', { statement });

/** The settings of the warehouse with the member names of a request. */
const settingsOf = async (): Promise<Record<string, unknown>> => {
  const { settings } = (await api.call('GET', '/v1/warehouse')) as Shown;
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      value,
    ]),
  );
};

const configure = async (): Promise<void> => {
  const settings = await settingsOf();
  const schema = String(settings['schema']);
  for (const statement of [
    `CREATE ROLE assistant LOGIN PASSWORD '${PASSWORD}'`,
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA ${schema} TO assistant`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO assistant`,
  ])
    await owner.query(statement);
  const mcpSettings = { ...settings, username: 'assistant', password: PASSWORD };
  await api.call('PUT', '/v1/warehouse', { settings, mcpSettings });
};

/** Statements of the assistant that are under way. */
const statements = async (): Promise<number> => {
  const { rows } = await owner.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'assistant' AND query ~ 'FETCH'",
  );
  return rows[0]?.n ?? NaN;
};

/** The MCP server, by a client of its SDK. */
export const mcpServer = (place: () => Place): void => {
  beforeAll(async () => {
    ({ installation } = place());
    ({ api, id: workspace } = await place().newWorkspace('MCP'));
    owner = new Client({ connectionString: installation.databaseUrl });
    await owner.connect();
    mcp = await connected(await newKey('mcp'));
  });

  afterAll(async () => {
    await mcp.close();
    await owner.end();
  });

  it('refuses its tools until the warehouse has settings for them', async () => {
    for (const name of ['list_tables', 'list_pipelines'])
      expect(await call(name)).toEqual({
        text: 'InvalidWarehouseSettings: data warehouse settings are not valid: those of the MCP server are not configured',
        isError: true,
      });
    await configure();
    expect((await query('SELECT 1 AS n')).text).toBe(
      '{"columns":[{"name":"n","type":"integer"}],"rows":[[1]],"rowCount":1,"isCut":false}',
    );
  });

  it('lists tables, and what they hold can be queried', async () => {
    const { tables } = JSON.parse((await call('list_tables')).text) as {
      tables: { name: string; columns: { name: string }[] }[];
    };
    expect(tables.map(({ name }) => name)).toEqual(['events', 'identities', 'profiles']);
    for (const { name, columns } of tables) {
      const names = columns.map((column) => `"${column.name}"`).join(', ');
      expect((await query(`SELECT ${names} FROM ${name} LIMIT 1`)).isError).toBe(false);
    }
  });

  it.each([
    ['writes', 'DELETE FROM profiles', 'syntax error'],
    ['writes', 'WITH gone AS (DELETE FROM _profiles RETURNING 1) TABLE gone', 'data-modifying'],
    ['writes after the end of its transaction', 'SELECT 1; COMMIT; DROP TABLE _events', 'multiple'],
    ['reads a file', "SELECT pg_read_file('PG_VERSION')", 'permission denied'],
    [
      'reads another schema',
      'SELECT * FROM penstock.facts',
      'permission denied for schema penstock',
    ],
    ['holds a lock', 'SELECT pg_advisory_lock(1)', 'pg_advisory_lock is not taken'],
  ])('refuses a statement that %s: %s', async (_, statement, because) => {
    const { text, isError } = await query(statement);
    expect(isError).toBe(true);
    expect(text).toMatch(/^InvalidQuery: query is not valid: /);
    expect(text).toContain(because);
  });

  it('finds profiles, and lists pipelines with their health', async () => {
    const none = await call('find_profile', { id: 'c0ffee00-0000-4000-8000-000000000001' });
    expect(none).toEqual({ text: 'ProfileNotExist: profile does not exist', isError: true });
    const { pipelines } = JSON.parse((await call('list_pipelines')).text) as {
      pipelines: { health: { status: string } }[];
    };
    for (const { health } of pipelines) expect(health).toHaveProperty('status');
  });

  it('reads in the modes that allow it; others end what it does', async () => {
    await api.call('PUT', '/v1/warehouse/mode', { mode: 'Inspection' });
    const sleeping = query('SELECT pg_sleep(3600)');
    await until('the statement sleeps', async () => (await statements()) === 1);
    await api.call('PUT', '/v1/warehouse/mode', { mode: 'Maintenance' });
    expect(await sleeping).toEqual({
      text: expect.stringMatching(/^ServiceUnavailable: service is unavailable: /) as string,
      isError: true,
    });
    await until('its session has ended', async () => (await statements()) === 0);
    for (const name of ['list_tables', 'query'])
      expect(await call(name, { statement: 'SELECT 1' })).toEqual({
        text: 'MaintenanceMode: data warehouse is in maintenance mode',
        isError: true,
      });
    await api.call('PUT', '/v1/warehouse/mode', { mode: 'Normal' });
    expect((await query('SELECT 1')).isError).toBe(false);
  });

  it('is opened by keys of its scope only, which open nothing else', async () => {
    for (const key of [installation.apiKey, await newKey('read'), 'pk_none'])
      await expect(connected(key)).rejects.toThrow();
    const own = new ApiClient(installation.address, await newKey('mcp'));
    await expect(own.call('GET', '/v1/pipelines')).rejects.toMatchObject({ status: 403 });
  });
};
