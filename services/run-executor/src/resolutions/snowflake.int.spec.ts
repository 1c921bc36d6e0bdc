import type { WorkspaceId } from '@penstock/contracts';
import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import { createWarehouses, type Warehouses } from '@penstock/warehouses';
import { verifyProfiles } from '../audit/profiles/verify-profiles';
import { ResolutionInstallation, secrets } from '../testing/resolution-installation.fixture';

jest.setTimeout(600_000);

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

let server: LocalSnowflake;
let warehouses: Warehouses;
let installation: ResolutionInstallation;

const settingsOf = (workspace: WorkspaceId): object => {
  const { username, password, role, warehouse, database } = server;
  const account = { account: 'acme-eu', username, password, role, warehouse };
  return { ...account, database, schema: `W_${workspace}` };
};

beforeAll(async () => {
  server = await startSnowflake();
  const snowflakePlace = () => `http://127.0.0.1:${String(server.port)}`;
  warehouses = createWarehouses({ allow: ['127.0.0.0/8'], snowflakePlace });
  const platform = warehouses.get('Snowflake');
  if (platform === undefined) throw new Error('there is no Snowflake');
  installation = await ResolutionInstallation.open({ platform, settingsOf });
  await installation.start();
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await installation.close();
  await server.stop();
});

it('people are resolved and erased on Snowflake, and what was told of them is what is there', async () => {
  const workspace = await installation.workspace();
  const users = Array.from({ length: 40 }, (_, n) => ({
    ...{ recordId: `u${String(n)}`, email: `${String(n % 10)}@example.com` },
  }));
  await installation.write(workspace, 's1', users);
  const resolved = await installation.ended(await installation.resolve(workspace));
  expect(resolved).toMatchObject({ status: 'Succeeded' });
  const facts = await installation.published(workspace);
  expect(facts).toHaveLength(10);
  const [profile = ''] = facts.flatMap(({ fact }) => ('id' in fact ? [fact.id] : []));
  const erasure = await installation.erase(workspace, profile);
  expect(await installation.erased(erasure)).toMatchObject({ error: '' });
  expect(await installation.erasure(workspace, erasure)).toMatchObject({
    counts: { profiles: 1, identities: 4 },
  });
  await installation.write(workspace, 's1', users);
  await installation.ended(await installation.resolve(workspace, { full: true }));
  const told = (await installation.published(workspace)).map(({ fact }) => fact);
  expect(told.at(-1)).toEqual({ type: 'ProfileDeleted', id: profile, reason: 'erased' });
  const { log } = installation;
  expect((await verifyProfiles({ log, warehouses, secrets })).differences).toEqual([]);
});
