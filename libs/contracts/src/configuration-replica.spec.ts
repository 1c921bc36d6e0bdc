import { ConfigurationReplica } from './configuration-replica';
import { type DataKey, dataKeyKey } from './data-key';
import type { ApiKeyId, ConnectionId, OrganizationId, WorkspaceId } from './ids';
import type { NewApiKey } from './organization.facts';
import { connectionState, pipelineState } from './history.fixtures';
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

it('lets wait for a position, also for one that is between two that it sees', async () => {
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

describe('data keys', () => {
  const message = (id: string) => {
    const dataKey: DataKey = { id, workspace: 'w1' as WorkspaceId, wrapped: 'v1:wrapped' };
    return { key: dataKeyKey('w1'), value: JSON.stringify({ dataKey }) };
  };

  it('are held until a tombstone comes, and say nothing of how much has been seen', () => {
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

describe('the history', () => {
  const id = connectionState().id;
  const other = 'destination0001' as ConnectionId;
  const connection = (
    version: number,
    position: number,
    ...links: ConnectionId[]
  ): StateRecord => ({
    position,
    state: connectionState({ version, links }),
  });
  const pipeline = (version: number, position: number, deleted = false): StateRecord => ({
    position,
    state: pipelineState({ version, deleted }),
  });
  const versionsOn = (replica: ConfigurationReplica, position: number): number[] =>
    replica.pipelinesOnAt(id, position).map(({ version }) => version);

  it('keeps no settings, and leaves the present as it is', () => {
    const replica = fed(connection(1, 1), connection(2, 3, other));
    expect(replica.connectionAt(id, 2)).toEqual({
      id,
      workspace: 'workspace000001',
      connector: 'webhook',
      version: 1,
      deleted: false,
      links: [],
    });
    expect(replica.connectionAt(id, 3)).not.toHaveProperty('settings');
    expect(replica.connection(id)).toMatchObject({ settings: 'sealed', links: [other] });
  });

  it('takes an older state behind a newer one, for the history only', () => {
    const replica = fed(connection(2, 3, other), connection(1, 1));
    expect(replica.connectionAt(id, 2)).toMatchObject({ version: 1 });
    expect(replica.connection(id)).toMatchObject({ version: 2 });
  });

  it('holds pipelines that were deleted later, in their version of then', () => {
    const replica = fed(pipeline(1, 2), pipeline(2, 4), pipeline(3, 6, true));
    expect([1, 2, 3, 4, 5, 6].map((position) => versionsOn(replica, position))).toEqual([
      [],
      [1],
      [1],
      [2],
      [2],
      [],
    ]);
    expect([...replica.pipelinesOn(id)]).toEqual([]);
  });

  it('holds versions of a pipeline in the order of their versions, however they come', () => {
    const replica = fed(pipeline(2, 4), pipeline(1, 2), pipeline(2, 4));
    expect([2, 3, 4].map((position) => versionsOn(replica, position))).toEqual([[1], [1], [2]]);
    expect(replica.pipeline(pipelineState().id)).toMatchObject({ version: 2 });
  });

  it('does not know what a version held whose successor it has not seen, but up to where it was whole', () => {
    const replica = fed(connection(1, 1), organization(4, 'a'));
    replica.settle();
    for (const record of [organization(6, 'a'), connection(3, 8)]) replica.apply(record);
    expect(replica.connectionAt(id, 4)).toMatchObject({ version: 1 });
    expect(replica.connectionAt(id, 5)).toBe('unknown');
    replica.learn(id, [connection(2, 5, other) as never], 7);
    expect(replica.connectionAt(id, 7)).toMatchObject({ version: 2, links: [other] });
  });

  it('learns nothing newer than the log has brought, and nothing of what the log has not', () => {
    const replica = fed(connection(1, 1));
    replica.learn(id, [connection(2, 2, other) as never], 2);
    replica.learn(other, [{ position: 1, state: connectionState({ id: other }) }], 2);
    expect(replica.connectionAt(id, 2)).toMatchObject({ version: 1 });
    expect(replica.connectionAt(other, 2)).toBeUndefined();
  });

  it('has another revision when events may go another way, and only then', () => {
    const replica = fed(connection(1, 1));
    const isNewAfter = (record: StateRecord): boolean => {
      const before = replica.history.revision;
      replica.apply(record);
      return replica.history.revision !== before;
    };
    expect(isNewAfter(connection(2, 2))).toBe(false);
    expect(isNewAfter(organization(3, 'a'))).toBe(false);
    expect(isNewAfter(connection(3, 4, other))).toBe(true);
    expect(isNewAfter(connection(3, 4, other))).toBe(false);
    expect(isNewAfter(pipeline(1, 5))).toBe(true);
    expect(isNewAfter(pipeline(1, 5))).toBe(false);
    expect(isNewAfter(pipeline(2, 6))).toBe(true);
    expect(replica.history.changedAt(id)).toBe(6);
  });

  it('holds superseded states only as long as they may be needed', () => {
    const replica = new ConfigurationReplica();
    for (let version = 1; version <= 100; version += 1) replica.apply(connection(version, version));
    expect(replica.history.heldStates).toBe(100);
    replica.forgetBefore(91);
    expect(replica.history.heldStates).toBe(10);
    expect(replica.connectionAt(id, 90)).toBe('unknown');
    expect(replica.connectionAt(id, 91)).toMatchObject({ version: 91 });
  });
});
