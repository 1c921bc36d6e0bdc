import { ConfigurationPicture } from './configuration-picture';
import { type DataKey, dataKeyKey } from './data-key';
import type { ApiKeyId, OrganizationId, WorkspaceId } from './ids';
import type { NewApiKey } from './organization.facts';
import type { StateRecord } from './state';

const key = (hash: string): NewApiKey => ({
  id: `key-${hash}` as ApiKeyId,
  name: 'a key',
  scope: 'admin',
  workspace: null,
  hash,
  hint: 'pk_a…wxyz',
  expiresAt: null,
});

const organization = (position: number, ...hashes: readonly string[]): StateRecord => ({
  position,
  state: {
    kind: 'organization',
    id: 'o1' as OrganizationId,
    name: 'Acme',
    enabled: true,
    apiKeys: hashes.map(key),
  },
});

const fed = (...records: readonly StateRecord[]): ConfigurationPicture => {
  const picture = new ConfigurationPicture();
  for (const record of records) picture.apply(record);
  return picture;
};

it('holds the newest state of an object', () => {
  const picture = fed(organization(1, 'a', 'b'), organization(2, 'b'));
  expect(picture.apiKey('a')).toBeUndefined();
  expect(picture.apiKey('b')).toMatchObject({ key: key('b') });
  expect(picture.seen).toBe(2);
});

it('is not led back by a record that comes once more', () => {
  const [first, second] = [organization(1, 'a', 'b'), organization(2, 'b')];
  const picture = fed(first, second, first, second);
  expect(picture.apiKey('a')).toBeUndefined();
  expect(picture.apiKey('b')).toBeDefined();
  expect(fed(first, second, first).apiKey('a')).toBeUndefined();
});

it('takes an older record of an object that it does not hold yet: compaction may leave it behind a newer one', () => {
  const workspace = {
    position: 1,
    state: {
      kind: 'workspace',
      id: 'w1',
      organization: 'o1',
      name: 'Shop',
      version: 1,
      deleted: false,
    },
  } as StateRecord;
  const picture = fed(organization(2, 'a'), workspace);
  expect(picture.workspace('w1')).toMatchObject({ name: 'Shop' });
  expect(picture.seen).toBe(2);
});

it('lets wait for a position, also for one that is between two that it sees', async () => {
  const picture = fed(organization(1, 'a'));
  await picture.waitFor(1);
  const order: string[] = [];
  const waits = [
    picture.waitFor(2).then(() => order.push('2')),
    picture.waitFor(5).then(() => order.push('5')),
  ];
  picture.apply(organization(3, 'a'));
  await waits[0];
  expect(order).toEqual(['2']);
  picture.apply(organization(5, 'a'));
  await Promise.all(waits);
  expect(order).toEqual(['2', '5']);
});

describe('data keys', () => {
  const message = (id: string) => {
    const dataKey: DataKey = { id, workspace: 'w1' as WorkspaceId, wrapped: 'v1:wrapped' };
    return { key: dataKeyKey('w1'), value: JSON.stringify({ dataKey }) };
  };

  it('are held until a tombstone comes, and say nothing of how much has been seen', () => {
    const picture = fed(organization(1, 'a'));
    expect(picture.dataKey('w1')).toBeUndefined();
    picture.take(message('k1'));
    expect(picture.dataKey('w1')).toEqual({ id: 'k1', workspace: 'w1', wrapped: 'v1:wrapped' });
    expect(picture.dataKey('w2')).toBeUndefined();
    expect(picture.seen).toBe(1);
    picture.take({ key: dataKeyKey('w1'), value: null });
    expect(picture.dataKey('w1')).toBeUndefined();
  });

  it('stand on the same topic as the states', () => {
    const picture = new ConfigurationPicture();
    picture.take({ key: 'organization:o1', value: JSON.stringify(organization(3, 'a')) });
    picture.take({ key: 'organization:o1', value: null });
    expect(picture.organization('o1')).toMatchObject({ name: 'Acme' });
    expect(picture.seen).toBe(3);
  });
});
