import type { WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { randomBytes } from 'node:crypto';
import { eventually } from '../testing/eventually.fixture';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

const PASSWORD = 'Very-Secret-Warehouse-1';
const SCHEMA = 'warehouse';

let installation: Installation;
let loader: string;
let reader: string;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

const settings = (username: string, changes: object = {}): string => {
  const { hostname, port, pathname } = new URL(installation.databaseUrl);
  return installation.sealed({
    ...{ host: hostname, port: Number(port), database: pathname.slice(1), schema: SCHEMA },
    ...{ username, password: PASSWORD, ...changes },
  });
};

const update = (mcpSettings: string | null) =>
  installation.command('UpdateWarehouse', {
    settings: settings(loader),
    mcpSettings,
    cancelIncompatibleOperations: false,
  });

beforeAll(async () => {
  installation = await Installation.open();
  const name = randomBytes(6).toString('hex');
  [loader, reader] = [`loader_${name}`, `reader_${name}`];
  await run(
    `CREATE ROLE ${loader} LOGIN PASSWORD '${PASSWORD}'`,
    `CREATE ROLE ${reader} LOGIN PASSWORD '${PASSWORD}'`,
    `CREATE SCHEMA ${SCHEMA} AUTHORIZATION ${loader}`,
  );
  const url = new URL(installation.databaseUrl);
  Object.assign(url, { username: loader, password: PASSWORD, search: `?schema=${SCHEMA}` });
  await installation.start({ firstWarehouse: { url: url.href } });
  await run(
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO ${reader}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${reader}`,
  );
  await update(settings(reader));
});
afterAll(async () => {
  await run(`DROP OWNED BY ${loader} CASCADE`, `DROP OWNED BY ${reader} CASCADE`);
  await run(`DROP ROLE ${loader}`, `DROP ROLE ${reader}`);
  await installation.close();
});

const query = (statement: string, workspace = installation.workspace) =>
  installation.query('QueryWarehouse', { statement }, { workspace });
const describeTables = (workspace = installation.workspace) =>
  installation.query('DescribeWarehouse', {}, { workspace });

const setMode = (mode: 'Normal' | 'Inspection' | 'Maintenance') =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations: false });

const sessions = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename IN ('${loader}', '${reader}')`,
  );
  return rows[0]?.n ?? NaN;
};

/** Number of sessions of a user that wait for a lock. */
const waiting = async (user: string): Promise<number> => {
  const { rows } = await installation.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE usename = '${user}' AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? NaN;
};

/** Lets statements that read events wait. @returns a function that lets them go on. */
const blockEvents = async (): Promise<() => Promise<void>> => {
  const blocker = await installation.pool.connect();
  await blocker.query(`BEGIN; LOCK TABLE ${SCHEMA}._events IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await blocker.query('ROLLBACK');
    blocker.release();
  };
};

it('gives rows and their columns, as the user that can only read', async () => {
  expect(await query(`SELECT current_user AS me, count(*) AS n FROM profiles`)).toEqual({
    columns: [
      { name: 'me', type: 'name' },
      { name: 'n', type: 'bigint' },
    ],
    rows: [`["${reader}",0]`],
    isCut: false,
  });
});

it('gives the tables with their columns', async () => {
  const { tables, isCut } = await describeTables();
  expect([tables.map(({ name }) => name), isCut]).toEqual([
    ['events', 'identities', 'profiles'],
    false,
  ]);
  expect(tables[0]?.columns[0]).toEqual({ name: 'profile_id', type: 'uuid' });
});

it('is cut where an answer has no room', async () => {
  const { rows, isCut } = await query("SELECT repeat('\"', 1000), generate_series(1, 1000000)");
  expect(isCut).toBe(true);
  expect(rows.length).toBeGreaterThan(100);
  await expect(query("SELECT repeat('x', 700000)")).rejects.toMatchObject({
    code: 'InvalidQuery',
    message: 'query is not valid: its first row has no room in an answer',
  });
});

it.each([
  ['DELETE FROM profiles', 'query is not valid: syntax error at or near "DELETE"'],
  ['SELECT pg_advisory_lock(1)', 'query is not valid: pg_advisory_lock is not taken'],
  ['SELECT * FROM penstock.facts', 'query is not valid: permission denied for schema penstock'],
])('refuses %s', async (statement, message) => {
  await expect(query(statement)).rejects.toMatchObject({ code: 'InvalidQuery', message });
});

it('keeps no session that has executed a statement of somebody else', async () => {
  await query('SELECT 1');
  await query('SELECT nothing').catch(() => undefined);
  await eventually(sessions, (count) => count === 0);
});

it('refuses a user that can write by now', async () => {
  await run(`GRANT UPDATE ON ${SCHEMA}.profiles TO ${reader}`);
  const refused = {
    code: 'NotReadOnlyMCPSettings',
    details: [{ path: '', message: `role ${reader} may UPDATE on ${SCHEMA}.profiles` }],
  };
  await expect(query('SELECT 1')).rejects.toMatchObject(refused);
  await expect(describeTables()).rejects.toMatchObject(refused);
  await run(`REVOKE UPDATE ON ${SCHEMA}.profiles FROM ${reader}`);
  expect((await query('SELECT 1')).rows).toEqual(['[1]']);
});

it('reads in the modes that allow it, and those that do not wait for its statements', async () => {
  await setMode('Inspection');
  expect((await query('SELECT 1')).rows).toEqual(['[1]']);
  const unblock = await blockEvents();
  let isSet = false;
  const reading = query('TABLE events');
  await eventually(
    () => waiting(reader),
    (count) => count === 1,
  );
  const setting = setMode('Maintenance').then(() => (isSet = true));
  await eventually(
    () => waiting(loader),
    (count) => count === 1,
  );
  expect(isSet).toBe(false);
  await unblock();
  await setting;
  expect((await reading).rows).toEqual([]);
  const refused = { code: 'MaintenanceMode', kind: 'refused' };
  await expect(query('SELECT 1')).rejects.toMatchObject(refused);
  await expect(describeTables()).rejects.toMatchObject(refused);
  await setMode('Normal');
  expect((await query('SELECT 1')).rows).toEqual(['[1]']);
});

it('refuses without settings for it, and without a warehouse', async () => {
  const workspace = newId() as WorkspaceId;
  const { organization } = await installation.founded();
  await installation.command(
    'CreateWorkspace',
    { id: workspace, name: 'Other', warehouse: installation.newWarehouse(workspace) },
    { organization },
  );
  await expect(query('SELECT 1', workspace)).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
    message: 'data warehouse settings are not valid: those of the MCP server are not configured',
  });
  await expect(query('SELECT 1', await installation.bareWorkspace())).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
  });
});

it('has two reads of a workspace at a time, and takes no places from those of the API', async () => {
  const unblock = await blockEvents();
  const held = [query('TABLE events'), query('TABLE events')];
  await eventually(
    () => waiting(reader),
    (count) => count === 2,
  );
  const third = query('SELECT 1').catch((error: unknown) => error);
  const page = { limit: 10, cursor: '' };
  const all = { properties: null, filter: null, order: null, orderDesc: null, count: false };
  expect((await installation.query('ListProfiles', { ...page, ...all })).profiles).toEqual([]);
  expect(await third).toMatchObject({
    code: 'ServiceUnavailable',
    message: 'service is unavailable: too many reads of data warehouses are under way',
  });
  await unblock();
  await Promise.allSettled(held);
});
