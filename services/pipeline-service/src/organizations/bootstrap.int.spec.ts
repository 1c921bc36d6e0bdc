import { ConfigurationReplica, type OrganizationId, TOPIC } from '@penstock/contracts';
import { newApiKey } from '@penstock/runtime';
import { Installation, SECRETS } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeEach(async () => {
  installation = await Installation.open();
});

afterEach(() => installation.close());

const types = async (): Promise<string[]> => {
  const { rows } = await installation.pool.query<{ type: string }>(
    'SELECT type FROM penstock.facts ORDER BY position',
  );
  return rows.map(({ type }) => type);
};

const FIRST = ['OrganizationCreated', 'ApiKeyCreated', 'WorkspaceCreated'];

const ownerOf = async (key: string) => {
  const replica = await installation.follow(new ConfigurationReplica());
  await replica.waitFor((await types()).length);
  return replica.apiKey(SECRETS.keyedHash(key));
};

it('creates an organization, a workspace and a key at the first start, and nothing at the second', async () => {
  const first = await installation.start();
  expect(first.newKey).toMatch(/^pk_/);
  expect(await types()).toEqual(FIRST);
  await installation.stop(first);

  const second = await installation.start();
  expect(second).toMatchObject({ newKey: undefined });
  expect(await types()).toEqual(FIRST);
  expect(await ownerOf(first.newKey ?? '')).toMatchObject({
    key: { scope: 'admin', workspace: null, expiresAt: null },
    organization: { name: 'Default', enabled: true },
  });
});

it('has published the first key when it has started', async () => {
  await installation.start();
  expect(await installation.positions(TOPIC.configuration)).toEqual([1, 2, 3]);
});

it('uses the key that the operator has set, and does not show it', async () => {
  const [one, other] = [newApiKey(), newApiKey()];
  const first = await installation.start({ bootstrapKey: one });
  expect(first).toMatchObject({ newKey: undefined });
  await installation.stop(first);
  await installation.stop(await installation.start({ bootstrapKey: one }));
  expect(await types()).toEqual(FIRST);

  const third = await installation.start({ bootstrapKey: other });
  expect(third).toMatchObject({ newKey: undefined });
  expect(await types()).toEqual([...FIRST, 'ApiKeyCreated']);
  expect(await ownerOf(one)).toBeDefined();
  expect(await ownerOf(other)).toBeDefined();
  expect(await ownerOf(newApiKey())).toBeUndefined();
});

it('does not add a key again that was revoked', async () => {
  const bootstrapKey = newApiKey();
  await installation.stop(await installation.start({ bootstrapKey }));
  const later = await installation.start({ bootstrapKey });
  const { key, organization } = (await ownerOf(bootstrapKey)) ?? {};
  const context = { organization: organization?.id as OrganizationId };
  await installation.command('RevokeApiKey', { id: key?.id ?? '', within: null }, context);
  await installation.stop(later);

  await installation.start({ bootstrapKey });
  expect(await types()).toEqual([...FIRST, 'ApiKeyRevoked']);
  expect(await ownerOf(bootstrapKey)).toBeUndefined();
});

it('creates one organization when several services start at once', async () => {
  const services = await Promise.all([1, 2, 3, 4].map(() => installation.start()));
  expect(await types()).toEqual(FIRST);
  const keys = services.flatMap(({ newKey }) => newKey ?? []);
  expect(keys).toHaveLength(1);
  expect(await ownerOf(keys[0] ?? '')).toBeDefined();
});

it('adds every key when several services start at once with keys of their own', async () => {
  const keys = [newApiKey(), newApiKey(), newApiKey()];
  await Promise.all(keys.map((bootstrapKey) => installation.start({ bootstrapKey })));
  expect([...(await types())].sort()).toEqual([...FIRST, 'ApiKeyCreated', 'ApiKeyCreated'].sort());
  for (const key of keys) expect(await ownerOf(key)).toBeDefined();
});
