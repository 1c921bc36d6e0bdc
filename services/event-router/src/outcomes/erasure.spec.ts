import {
  ConfigurationReplica,
  type ConnectionId,
  DELIVERY_BOUNDS,
  suppressionId,
  Suppressions,
  type WorkspaceId,
  writeAcceptedEvent,
} from '@penstock/contracts';
import { acquired, changesOf, storedDelivery } from '../store/contract/changes.fixture';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryRouterStore } from '../store/memory/memory-router-store';
import { Erasure } from './erasure';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const SOURCE = 'source0000000001' as ConnectionId;
const keyedHash = (text: string): string => `hash of ${text}`;

const TIME = '2026-03-01T09:30:00.000Z';

const bodyOf = (userId: string): string => {
  const event = {
    ...{
      connectionId: SOURCE,
      anonymousId: 'a',
      userId,
      event: 'Seen',
      messageId: 'm',
      type: 'track',
    },
    ...{ properties: {}, receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME },
    traits: {},
  };
  return writeAcceptedEvent({
    workspace: WORKSPACE,
    source: SOURCE,
    messageId: 'm',
    seen: 1,
    integrations: null,
    digest: 'A'.repeat(16),
    eventText: JSON.stringify(event),
  });
};

/** Dead letters of events with these bodies. */
const deadLetters = (from: number, ...bodies: readonly string[]) =>
  bodies.map((body, index) =>
    storedDelivery({
      offset: from + index,
      body,
      state: 'Rejected',
      step: 'Finalize',
      code: '404',
    }),
  );

/** Where `ada` is suppressed. */
const standing = () => {
  const at = { nowMs: 0 };
  const store = new MemoryRouterStore(new MemoryDatabase(Date.now));
  const replica = new ConfigurationReplica();
  const id = suppressionId(keyedHash, WORKSPACE, 'ada');
  const suppression = { kind: 'suppression', id, workspace: WORKSPACE, version: 1 } as const;
  replica.apply({ position: 1, state: { ...suppression, suppressed: true } });
  const suppressions = new Suppressions(replica, keyedHash);
  const erasure = new Erasure(replica, suppressions, store, () => at.nowMs);
  const kept = async (): Promise<readonly number[]> =>
    (await store.keptBodies({ partition: -1, offset: 0 }, 9)).map(({ offset }) => offset);
  return { at, store, erasure, kept };
};

it('erases what follows a body that cannot be read', async () => {
  const { store, erasure, kept } = standing();
  const stored = deadLetters(0, 'of a form that nobody knows', bodyOf('ada'), bodyOf('bob'));
  await store.commit([changesOf(await acquired(store), 1, { stored })]);
  await erasure.run();
  expect(await kept()).toEqual([0, 2]);
});

it('erases what the longest request leaves that had begun before', async () => {
  const { at, store, erasure, kept } = standing();
  await erasure.run();
  for (const nowMs of [30_000, 60_000, 90_000]) {
    at.nowMs = nowMs;
    await erasure.run();
  }
  at.nowMs = 1_000 * DELIVERY_BOUNDS.maxTimeoutSeconds;
  const stored = deadLetters(0, bodyOf('ada'), bodyOf('bob'));
  await store.commit([changesOf(await acquired(store), 1, { stored })]);
  for (; at.nowMs < 600_000; at.nowMs += 30_000) await erasure.run();
  expect(await kept()).toEqual([1]);
});
