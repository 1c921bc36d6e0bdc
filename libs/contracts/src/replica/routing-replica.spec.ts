import type { ConnectionId, OrganizationId } from '../ids';
import type { StateRecord } from '../state';
import { connectionState, pipelineState } from './history.fixtures';
import { RoutingReplica } from './routing-replica';

const organization = (position: number): StateRecord => ({
  position,
  state: {
    kind: 'organization',
    id: 'o1' as OrganizationId,
    name: 'Acme',
    enabled: true,
    apiKeys: [],
  },
});

const fed = (...records: readonly StateRecord[]): RoutingReplica => {
  const replica = new RoutingReplica();
  for (const record of records) replica.apply(record);
  return replica;
};

const id = connectionState().id;
const other = 'destination0001' as ConnectionId;
const connection = (version: number, position: number, ...links: ConnectionId[]): StateRecord => ({
  position,
  state: connectionState({ version, links }),
});
const pipeline = (version: number, position: number, deleted = false): StateRecord => ({
  position,
  state: pipelineState({ version, deleted }),
});
const versionsOn = (replica: RoutingReplica, position: number): number[] | 'unknown' => {
  const found = replica.pipelinesOnAt(id, position);
  return found === 'unknown' ? found : found.map(({ version }) => version);
};

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
  expect(replica.pipelinesOn(id)).toEqual([]);
});

it('holds versions of a pipeline in the order of their versions, however they come', () => {
  const replica = fed(pipeline(2, 4), pipeline(1, 2), pipeline(2, 4));
  expect([2, 3, 4].map((position) => versionsOn(replica, position))).toEqual([[1], [1], [2]]);
  expect(replica.pipeline(pipelineState().id)).toMatchObject({ version: 2 });
});

it('knows a version whose successor it has not seen only up to the position where it was complete', () => {
  const replica = fed(connection(1, 1), organization(4));
  replica.settle();
  for (const record of [organization(6), connection(3, 8)]) replica.apply(record);
  expect(replica.connectionAt(id, 4)).toMatchObject({ version: 1 });
  expect(replica.connectionAt(id, 5)).toBe('unknown');
  replica.learn(id, [connection(2, 5, other) as never], 7);
  expect(replica.connectionAt(id, 7)).toMatchObject({ version: 2, links: [other] });
});

it('adds no states that are newer than those of the log, and none that contradict the log', () => {
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
  expect(isNewAfter(organization(3))).toBe(false);
  expect(isNewAfter(connection(3, 4, other))).toBe(true);
  expect(isNewAfter(connection(3, 4, other))).toBe(false);
  expect(isNewAfter(pipeline(1, 5))).toBe(true);
  expect(isNewAfter(pipeline(1, 5))).toBe(false);
  expect(isNewAfter(pipeline(2, 6))).toBe(true);
  expect(replica.history.changedAt(id)).toBe(6);
});

it('holds superseded states only as long as they may be needed', () => {
  const replica = new RoutingReplica();
  for (let version = 1; version <= 100; version += 1) replica.apply(connection(version, version));
  expect(replica.history.heldStates).toBe(100);
  replica.forgetBefore(91);
  expect(replica.history.heldStates).toBe(10);
  expect(replica.connectionAt(id, 90)).toBe('unknown');
  expect(replica.connectionAt(id, 91)).toMatchObject({ version: 91 });
});
