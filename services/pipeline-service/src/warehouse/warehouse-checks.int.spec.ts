import type { DataKey, NewWarehouse, WorkspaceId } from '@penstock/contracts';
import { newDataKey, newId, Seals } from '@penstock/runtime';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { createWarehouses } from '@penstock/warehouses';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { SECRETS } from '../testing/installation.fixture';
import { WarehouseChecks } from './warehouse-checks';

jest.setTimeout(60_000);

const PASSWORD = 'not the password of anybody else';
const checks = new WarehouseChecks(createWarehouses({ allow: ['127.0.0.0/8'] }));

const keys = new Map<string, DataKey>();
const seals = new Seals(SECRETS, (workspace) => keys.get(workspace));

let database: FreshDatabase;
let owner: Client;
let loader: string;
let reader: string;

const role = async (): Promise<string> => {
  const name = `role_${randomBytes(6).toString('hex')}`;
  await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
  return name;
};

beforeEach(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  [loader, reader] = [await role(), await role()];
  await owner.query(`CREATE SCHEMA warehouse AUTHORIZATION ${loader}`);
  await owner.query(`GRANT USAGE ON SCHEMA warehouse TO ${reader}`);
});

afterEach(async () => {
  for (const name of [loader, reader])
    await owner.query(`DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`);
  await owner.end();
  await database.drop();
});

const settings = (username: string, changes: object = {}): object => {
  const { hostname: host, port, pathname } = new URL(database.url);
  const server = { host, port: Number(port), database: pathname.slice(1) };
  return { ...server, username, password: PASSWORD, schema: 'warehouse', ...changes };
};

const warehouseOf = (
  own: object,
  mcp: object | null = null,
  platform = 'PostgreSQL',
): NewWarehouse => {
  const id = newId() as WorkspaceId;
  keys.set(id, newDataKey(SECRETS, id));
  const sealed = (plain: object): string => SECRETS.seal(JSON.stringify(plain), id);
  return {
    id,
    platform,
    settings: sealed(own),
    mcpSettings: mcp === null ? null : sealed(mcp),
  };
};

const objects = async (): Promise<number | null> => {
  const { rowCount } = await owner.query(
    `SELECT FROM pg_class WHERE relnamespace = 'warehouse'::regnamespace AND relkind <> 'i'`,
  );
  return rowCount;
};

it('initialises an empty schema as the warehouse of the workspace, and changes nothing when repeated', async () => {
  const wanted = warehouseOf(settings(loader), settings(reader));
  const { warehouse: made } = await checks.create(seals, wanted);
  expect(made).toMatchObject({ id: wanted.id, platform: 'PostgreSQL' });
  expect(made.settings).toMatch(/^v2:/);
  expect(made.mcpSettings).toMatch(/^v2:/);
  expect(JSON.parse(seals.open(made.settings, wanted.id))).toEqual(settings(loader));
  expect(JSON.parse(seals.open(made.mcpSettings ?? '', wanted.id))).toEqual(settings(reader));
  await checks.create(seals, wanted);
  const { rows } = await owner.query('SELECT workspace FROM warehouse._meta');
  expect(rows).toEqual([{ workspace: wanted.id }]);
});

it('leaves the warehouse of another workspace alone', async () => {
  await checks.create(seals, warehouseOf(settings(loader)));
  await expect(checks.create(seals, warehouseOf(settings(loader)))).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
    details: [{ path: '/settings', message: 'schema is not empty: it holds 23 objects' }],
  });
});

type Row = [title: string, wanted: () => NewWarehouse, refusal: object];

it.each<Row>([
  [
    'a platform that is none',
    () => warehouseOf({}, null, 'MySQL'),
    {
      code: 'BadRequest',
      details: [{ path: '/warehouse/platform', message: 'must be PostgreSQL or Snowflake' }],
    },
  ],
  [
    'a bad form, of both',
    () => warehouseOf(settings(loader, { port: 0 }), settings(reader, { sslMode: 'never' })),
    {
      code: 'BadRequest',
      details: [{ path: '/warehouse/settings/port' }, { path: '/warehouse/mcpSettings/sslMode' }],
    },
  ],
  [
    'a user that cannot log in',
    () => warehouseOf(settings(loader, { password: 'wrong' })),
    { code: 'InvalidWarehouseSettings', details: [{ path: '/warehouse/settings' }] },
  ],
  [
    'a user that may not make tables',
    () => warehouseOf(settings(reader)),
    { code: 'InvalidWarehouseSettings', details: [{ path: '/warehouse/settings' }] },
  ],
  [
    'an MCP user of another schema',
    () => warehouseOf(settings(loader), settings(reader, { schema: 'public' })),
    { code: 'DifferentWarehouse' },
  ],
  [
    'an MCP user that cannot log in',
    () => warehouseOf(settings(loader), settings(reader, { password: 'wrong' })),
    { code: 'InvalidWarehouseSettings', details: [{ path: '/warehouse/mcpSettings' }] },
  ],
  [
    'an MCP user that owns the schema',
    () => warehouseOf(settings(loader), settings(loader)),
    { code: 'NotReadOnlyMCPSettings' },
  ],
])('%s is refused, and nothing is created', async (_, wanted, refusal) => {
  await expect(checks.create(seals, wanted(), { path: '/warehouse' })).rejects.toMatchObject(
    refusal,
  );
  expect(await objects()).toBe(0);
});
