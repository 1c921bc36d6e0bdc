import { CannotStart, isApiKeyForm } from '@penstock/runtime';
import { Installation, SECRETS } from '../testing/installation.fixture';
import { recoverKey } from './recover-key';

jest.setTimeout(60_000);

const SECRET = '0123456789abcdef0123456789abcdef';

let installation: Installation;

beforeEach(async () => {
  installation = await Installation.open();
});

afterEach(() => installation.close());

const recover = (secret = SECRET) => recoverKey(installation.databaseUrl, secret);

const keys = async () => {
  const { rows } = await installation.pool.query<{ actor: string; data: { hash: string } }>(
    `SELECT actor, data FROM penstock.facts WHERE type = 'ApiKeyCreated' ORDER BY position`,
  );
  return rows;
};

const refused = async (recovery: Promise<unknown>, message: string): Promise<void> => {
  await expect(recovery).rejects.toThrow(CannotStart);
  await expect(recovery).rejects.toThrow(message);
};

it('records an admin key of the organization, also where the limit of keys is reached', async () => {
  await installation.start({ limits: { keys: 1 } });
  const { key, organization } = await recover();
  expect(isApiKeyForm(key)).toBe(true);
  expect(organization).toBe('Default');
  const [, recovered, ...others] = await keys();
  expect(others).toEqual([]);
  expect(recovered).toMatchObject({
    actor: 'recovered on the machine',
    data: { hash: SECRETS.keyedHash(key), scope: 'admin', workspace: null, expiresAt: null },
  });
});

it('refuses another secret, with which no key would be found', async () => {
  await installation.start();
  await refused(
    recover('another secret of 32 characters.'),
    'PENSTOCK_SECRET is not that of the installation',
  );
  expect(await keys()).toHaveLength(1);
});

it('refuses a database on which nothing has started', async () => {
  await refused(recover(), 'there is no organization yet');
});

it.each([
  ['whose tables are alike', undefined],
  ['whose facts have no hash', 'ALTER TABLE penstock.facts DROP COLUMN hash'],
  ['without data keys', 'DROP TABLE penstock.data_keys'],
])('refuses a database of an earlier version, %s', async (_, change) => {
  await installation.stop(await installation.start());
  if (change !== undefined) await installation.pool.query(change);
  await installation.pool.query(
    'DELETE FROM penstock.penstock_migrations WHERE id = (SELECT max(id) FROM penstock.penstock_migrations)',
  );
  await refused(recover(), 'the database is that of an earlier version');
  expect(await keys()).toHaveLength(1);
});
