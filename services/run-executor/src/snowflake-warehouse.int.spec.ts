import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
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

jest.setTimeout(600_000);

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;
const ALLOW = ['127.0.0.0/8'];

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
/** What the last import has, without those that the filter leaves out. */
const KEPT = 90;
const ALL = { of: { connection: FILES }, limit: COUNT } as const;

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
    expect(run.passed.at(-1)).toBe(rows === users ? passed : KEPT);
  }
  const page = await (await reader()).identities(ALL, end.signal);
  expect(page.identities).toHaveLength(KEPT);
  expect(page.identities).toContainEqual(
    expect.objectContaining({ recordId: 'u0', pipeline: pipeline.id, profile: null }),
  );
});

it('resolves what was imported, exports the profiles, and erases one of them', async () => {
  const epoch = 1;
  const keyedHash = (text: string): string => `hash of ${text}`;
  const options = { workspace: WORKSPACE, profiles: FIRST_PROFILE_SCHEMA, keyedHash };
  const writer = await platform.openWriter(settings, options, end.signal);
  const rules = { blockedValues: new Map(), primarySources: new Map() };
  const resolver = await writer.beginResolution(
    { role: 'resolution', epoch },
    { ...rules, identifiers: ['email'] },
  );
  while (!(await resolver.resolve(1_000, end.signal)).isLast);
  const opened = await reader();
  expect(await opened.countProfiles(end.signal)).toBe(KEPT);
  const connection = await installation.destination('filesystem', {});
  const run = await installation.request(toFile({ connection }), { incremental: null });
  expect(await installation.ended(run)).toMatchObject({ status: 'Succeeded', error: '' });
  const exported = readFileSync(join(installation.folder, 'out.csv'), 'utf8').trim().split('\n');
  expect(exported).toHaveLength(1 + KEPT);
  expect(exported).toContainEqual(expect.stringContaining('u0@example.com'));
  const { identities } = await opened.identities(ALL, end.signal);
  const profile = identities.find(({ recordId }) => recordId === 'u0')?.profile ?? '';
  const eraser = await writer.beginErasure({ role: 'erasure', epoch }, { id: 'one', profile });
  expect(await eraser.take(end.signal)).toBe(true);
  expect(await eraser.eraseEvents(end.signal)).toMatchObject({ isLast: true });
  expect(await opened.countProfiles(end.signal)).toBe(KEPT - 1);
  await writer.close();
});
