import { ConfigurationReplica } from './configuration-replica';
import { type DataKey, dataKeyKey } from '../data-key';
import type { AlertId, ApiKeyId, ConnectionId, Instant, OrganizationId, WorkspaceId } from '../ids';
import type { NewApiKey } from '../organization.facts';
import type { AlertState, StateRecord } from '../state';

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

const fed = (...records: readonly StateRecord[]): ConfigurationReplica => {
  const replica = new ConfigurationReplica();
  for (const record of records) replica.apply(record);
  return replica;
};

it('holds the newest state of an object', () => {
  const replica = fed(organization(1, 'a', 'b'), organization(2, 'b'));
  expect(replica.apiKey('a')).toBeUndefined();
  expect(replica.apiKey('b')).toMatchObject({ key: key('b') });
  expect(replica.seen).toBe(2);
});

it('is not led back by a record that comes once more', () => {
  const [first, second] = [organization(1, 'a', 'b'), organization(2, 'b')];
  const replica = fed(first, second, first, second);
  expect(replica.apiKey('a')).toBeUndefined();
  expect(replica.apiKey('b')).toBeDefined();
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
  const replica = fed(organization(2, 'a'), workspace);
  expect(replica.workspace('w1')).toMatchObject({ name: 'Shop' });
  expect(replica.seen).toBe(2);
});

it('waits for a position, also for one between two positions that it applies', async () => {
  const replica = fed(organization(1, 'a'));
  await replica.waitFor(1);
  const order: string[] = [];
  const waits = [
    replica.waitFor(2).then(() => order.push('2')),
    replica.waitFor(5).then(() => order.push('5')),
  ];
  replica.apply(organization(3, 'a'));
  await waits[0];
  expect(order).toEqual(['2']);
  replica.apply(organization(5, 'a'));
  await Promise.all(waits);
  expect(order).toEqual(['2', '5']);
});

it('holds the newest health of each object, and forgets it with its object', () => {
  const health = (position: number, id: string, code: '' | 'Behind'): StateRecord => ({
    position,
    state: {
      kind: 'health',
      subject: 'connection',
      id: id as ConnectionId,
      workspace: 'w' as WorkspaceId,
      status: code === '' ? 'Healthy' : 'Degraded',
      code,
      since: '2026-03-01T09:30:00.000Z' as Instant,
      objectVersion: 1,
      version: position,
      changedAt: [],
    },
  });
  const replica = fed(health(1, 'a', 'Behind'), health(2, 'b', 'Behind'), health(3, 'a', ''));
  const troubled = () => [...replica.healths.troubles()].map(({ id }) => id);
  expect(replica.healths.get('a')).toMatchObject({ code: '' });
  expect(replica.healths.get('c')).toBeUndefined();
  expect(troubled()).toEqual(['b']);
  replica.take({ key: 'health:b', value: null });
  expect(replica.healths.get('b')).toBeUndefined();
  expect(troubled()).toEqual([]);
});

it('holds the newest state of the erasures of a workspace, and forgets it', () => {
  const erasure = (position: number): StateRecord => ({
    position,
    state: { kind: 'erasure', id: 'w' as WorkspaceId, version: position, live: [] },
  });
  const replica = fed(erasure(1), erasure(2));
  expect([...replica.allErasures()].map(({ version }) => version)).toEqual([2]);
  replica.take({ key: 'erasure:w', value: null });
  expect([...replica.allErasures()]).toEqual([]);
});

it('holds the newest state of the resolutions of a workspace, and forgets it', () => {
  const resolution = (position: number, full: boolean): StateRecord => ({
    position,
    state: {
      kind: 'resolution',
      id: 'w' as WorkspaceId,
      version: position,
      live: null,
      waiting: { trigger: 'Import', full },
    },
  });
  const replica = fed(resolution(1, false), resolution(2, true));
  expect(replica.resolution('w')?.waiting).toEqual({ trigger: 'Import', full: true });
  expect(replica.resolution('v')).toBeUndefined();
  replica.take({ key: 'resolution:w', value: null });
  expect(replica.resolution('w')).toBeUndefined();
});

it('holds the newest state of each alert, and forgets one that was deleted', () => {
  const alert = (position: number, id: string, members: Partial<AlertState> = {}): StateRecord => ({
    position,
    state: {
      kind: 'alert',
      id: id as AlertId,
      workspace: 'w' as WorkspaceId,
      name: id,
      enabled: true,
      alertKind: 'health',
      connection: null,
      pipeline: null,
      threshold: null,
      window: null,
      webhook: '',
      version: position,
      deleted: false,
      ...members,
    },
  });
  const replica = fed(
    alert(1, 'a'),
    alert(2, 'b'),
    alert(3, 'c', { workspace: 'other' as WorkspaceId }),
    alert(4, 'a', { name: 'new' }),
    alert(5, 'b', { deleted: true }),
  );
  const { alerts } = replica;
  expect([...alerts.all()].map(({ id, name }) => `${id} ${name}`)).toEqual(['a new', 'c c']);
  expect([...alerts.newestFirst('w', '')].map(({ id }) => id)).toEqual(['a']);
  expect(alerts.get('b')).toMatchObject({ deleted: true });
  replica.take({ key: 'alert:b', value: null });
  replica.take({ key: 'alert:a', value: null });
  expect(alerts.get('b')).toBeUndefined();
  expect([...alerts.newestFirst('w', '')]).toEqual([]);
});

describe('data keys', () => {
  const message = (id: string) => {
    const dataKey: DataKey = { id, workspace: 'w1' as WorkspaceId, wrapped: 'v1:wrapped' };
    return { key: dataKeyKey('w1'), value: JSON.stringify({ dataKey }) };
  };

  it('are held until a tombstone comes, and do not advance the applied position', () => {
    const replica = fed(organization(1, 'a'));
    expect(replica.dataKey('w1')).toBeUndefined();
    replica.take(message('k1'));
    expect(replica.dataKey('w1')).toEqual({ id: 'k1', workspace: 'w1', wrapped: 'v1:wrapped' });
    expect(replica.dataKey('w2')).toBeUndefined();
    expect(replica.seen).toBe(1);
    replica.take({ key: dataKeyKey('w1'), value: null });
    expect(replica.dataKey('w1')).toBeUndefined();
  });

  it('stand on the same topic as the states', () => {
    const replica = new ConfigurationReplica();
    replica.take({ key: 'organization:o1', value: JSON.stringify(organization(3, 'a')) });
    replica.take({ key: 'organization:o1', value: null });
    expect(replica.organization('o1')).toMatchObject({ name: 'Acme' });
    expect(replica.seen).toBe(3);
  });
});
