import {
  ConfigurationReplica,
  type ConnectionId,
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

it('erases what follows a body that cannot be read', async () => {
  const store = new MemoryRouterStore(new MemoryDatabase(Date.now));
  const bodies = ['of a form that nobody knows', bodyOf('ada'), bodyOf('bob')];
  const stored = bodies.map((body, offset) =>
    storedDelivery({ offset, body, state: 'Rejected', step: 'Finalize', code: '404' }),
  );
  await store.commit([changesOf(await acquired(store), 1, { stored })]);
  const replica = new ConfigurationReplica();
  const id = suppressionId(keyedHash, WORKSPACE, 'ada');
  const state = {
    kind: 'suppression',
    id,
    workspace: WORKSPACE,
    version: 1,
    suppressed: true,
  } as const;
  replica.apply({ position: 1, state });
  const erasure = new Erasure(replica, new Suppressions(replica, keyedHash), store, 1_000);
  await erasure.run();
  const kept = await store.keptBodies({ partition: -1, offset: 0 }, 9);
  expect(kept.map(({ offset }) => offset)).toEqual([0, 2]);
});
