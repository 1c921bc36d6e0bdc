import type { PartitionAssigner } from 'kafkajs';
import { releasingBefore } from './membership';

type Config = Parameters<PartitionAssigner>[0];
type Call = 'joinGroup' | 'syncGroup' | 'heartbeat' | 'leaveGroup';

/** An error as kafkajs creates it from a broker's answer. */
const answered = (type: string, retriable: boolean): Error =>
  Object.assign(new Error(type), { type, retriable });

const LOADING = answered('GROUP_LOAD_IN_PROGRESS', true);
const FORBIDDEN = answered('GROUP_AUTHORIZATION_FAILED', false);
const UNKNOWN_MEMBER = answered('UNKNOWN_MEMBER_ID', false);

let failure: { in: Call | 'find'; error: Error } | undefined;
let calls: string[];

const doing = (call: Call | 'find') => (): Promise<unknown> => {
  calls.push(call);
  return failure?.in === call ? Promise.reject(failure.error) : Promise.resolve(call);
};

/** A consumer's cluster with a wrapped coordinator. @returns the coordinator, and a join as kafkajs does it. */
const guarded = () => {
  const coordinator = {
    joinGroup: doing('joinGroup'),
    syncGroup: doing('syncGroup'),
    heartbeat: doing('heartbeat'),
    leaveGroup: doing('leaveGroup'),
  };
  const find = doing('find');
  const cluster = { findGroupCoordinator: () => find().then(() => coordinator) };
  const release = () => Promise.resolve(void calls.push('release'));
  releasingBefore(release)({ cluster } as unknown as Config);
  const join = async (): Promise<void> => {
    await cluster.findGroupCoordinator();
    await coordinator.joinGroup();
    await coordinator.syncGroup();
  };
  return { coordinator, join };
};

beforeEach(() => {
  failure = undefined;
  calls = [];
});

it('releases before it joins and before it leaves', async () => {
  const { coordinator, join } = guarded();
  await join();
  await coordinator.leaveGroup();
  expect(calls).toEqual(['release', 'find', 'joinGroup', 'syncGroup', 'release', 'leaveGroup']);
});

it.each(['find', 'joinGroup', 'syncGroup'] as const)(
  'makes kafkajs rejoin when %s fails with a retriable error',
  async (call) => {
    const { join } = guarded();
    failure = { in: call, error: LOADING };
    await expect(join()).rejects.toMatchObject({
      type: 'REBALANCE_IN_PROGRESS',
      cause: LOADING,
    });
  },
);

it.each([FORBIDDEN, UNKNOWN_MEMBER])('leaves $message to kafkajs', async (error) => {
  const { join } = guarded();
  failure = { in: 'joinGroup', error };
  await expect(join()).rejects.toBe(error);
});

it('sends no heartbeat as the previous member after an incomplete join', async () => {
  const { coordinator, join } = guarded();
  await join();
  expect(await coordinator.heartbeat()).toBe('heartbeat');
  failure = { in: 'syncGroup', error: FORBIDDEN };
  await expect(join()).rejects.toBe(FORBIDDEN);
  await expect(coordinator.heartbeat()).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
  failure = undefined;
  await join();
  expect(await coordinator.heartbeat()).toBe('heartbeat');
});

it('wraps a coordinator once, however often it is joined', async () => {
  const { coordinator, join } = guarded();
  await join();
  await join();
  calls = [];
  await coordinator.leaveGroup();
  expect(calls).toEqual(['release', 'leaveGroup']);
});
