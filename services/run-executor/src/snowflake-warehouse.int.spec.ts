import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import { SnowflakeSession, snowflakeTargetOf } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import type { Json } from '@penstock/schema';
import {
  createWarehouses,
  type WarehousePlatform,
  type WarehouseReader,
  type WarehouseSettings,
} from '@penstock/warehouses';
import { checkFolds } from './testing/check-folds.fixture';
import { FILES, fileImport, Installation, WORKSPACE } from './testing/installation.fixture';
import { toFile } from './testing/profiles.fixture';

jest.setTimeout(180_000);

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;
const ALLOW = ['127.0.0.0/8'];
const PROFILE = 'c0ffee00-0000-4000-8000-000000000001';

let server: LocalSnowflake;
let platform: WarehousePlatform;
let settings: WarehouseSettings;
let installation: Installation;
const end = new AbortController();

const placeOf = (): string => `http://127.0.0.1:${String(server.port)}`;

beforeAll(async () => {
  server = await startSnowflake();
  const found = createWarehouses({ allow: ALLOW, snowflakePlace: placeOf }).get('Snowflake');
  if (found === undefined) throw new Error('there is no Snowflake');
  platform = found;
  const { username, password, role, warehouse, database, schema } = server;
  settings = new Map<string, Json>(
    Object.entries({
      ...{ account: 'acme-eu', username, password, role, warehouse, database, schema },
    }),
  );
  installation = await Installation.open();
  installation.overPlatform = () => ({ ...platform, checkSettings: () => settings });
  const opened = await platform.connect(settings, AbortSignal.timeout(60_000));
  await opened.initialise(WORKSPACE);
  await opened.close();
  await installation.start();
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await checkFolds(installation.pool);
  await installation.close();
  end.abort();
  await server.stop();
});

const reader = (): Promise<WarehouseReader> => {
  const options = { workspace: WORKSPACE, epoch: 1, connections: 1 };
  return platform.openReader(settings, options, end.signal);
};

const COUNT = 250;

it('imports into it, once however often it is run, and purges what is gone', async () => {
  const users = Array.from(
    { length: COUNT },
    (_, n) => `u${String(n)},u${String(n)}@example.com,${n % 10 === 3 ? 'none' : 'free'}`,
  );
  const pipeline = fileImport();
  const passed = COUNT - COUNT / 10;
  for (const rows of [users, users, users.slice(0, 100)]) {
    installation.writeFile('users.csv', ['id,email,plan', ...rows]);
    const run = await installation.ended(await installation.request(pipeline));
    expect(run).toMatchObject({ status: 'Succeeded', error: '' });
    expect(run.passed.at(-1)).toBe(rows === users ? passed : 90);
  }
  const page = await (
    await reader()
  ).identities({ of: { connection: FILES }, limit: COUNT }, end.signal);
  expect(page.identities).toHaveLength(90);
  expect(page.identities).toContainEqual(
    expect.objectContaining({ recordId: 'u0', pipeline: pipeline.id, profile: null }),
  );
});

it('exports the profiles in it', async () => {
  const sockets = createGuardedSockets(ALLOW);
  const session = await SnowflakeSession.open(snowflakeTargetOf(settings, placeOf), {
    ...{ sockets, signal: end.signal },
  });
  await session.rows(
    `INSERT INTO "_PROFILES" ("_PROFILE_ID", "_IDENTITIES", "EMAIL", "FIRST_NAME") SELECT '${PROFILE}', 1, 'a@example.com', 'A'`,
  );
  await session.close();
  const connection = await installation.destination('filesystem', {});
  const run = await installation.request(toFile({ connection }), { incremental: null });
  expect(await installation.ended(run)).toMatchObject({ status: 'Succeeded' });
  expect(readFileSync(join(installation.folder, 'out.csv'), 'utf8')).toContain('a@example.com,A');
  const wanted = { profiles: FIRST_PROFILE_SCHEMA, properties: FIRST_PROFILE_SCHEMA.schema };
  const profile = await (await reader()).profile({ ...wanted, id: PROFILE }, end.signal);
  expect(profile).toMatchObject({ id: PROFILE });
});
