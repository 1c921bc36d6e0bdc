import {
  type ConnectionId,
  RoutingReplica,
  suppressionId,
  Suppressions,
  writeAcceptedEvent,
} from '@penstock/contracts';
import { compilePipeline } from '../routing/compiled-pipeline';
import type { Routes } from '../routing/routes';
import { SourceRoutes } from '../routing/source-routes';
import { DESTINATION, functionState, WORKSPACE } from '../testing/pipelines.fixture';
import { SystemClock } from '../time/clock';
import { RecentIds } from './recent-ids';
import type { Checkpoint, LeasedReplay } from './replay-job';
import type { ReplayLeases } from './replay-leases';
import { ReplayTurn, type TurnContext } from './replay-turn';
import { noCounts, noExamples } from './slice-results';

const SOURCE = 'source000000001' as ConnectionId;
const TIME = '2026-03-01T09:30:00.000Z';
const keyedHash = (text: string): string => `hash of ${text}`;
const state = functionState('return event');

const record = (userId: string, offset: number) => {
  const event = {
    ...{ connectionId: SOURCE, anonymousId: userId, userId, event: 'Seen', messageId: userId },
    ...{ properties: {}, receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME },
    ...{ traits: {}, type: 'track' },
  };
  const value = writeAcceptedEvent({
    workspace: WORKSPACE,
    source: SOURCE,
    messageId: userId,
    seen: 1,
    integrations: null,
    digest: 'aaaaaaaaaaaaaaaa',
    eventText: JSON.stringify(event),
  });
  return { key: userId, value, partition: 0, offset, timestampMs: 0 };
};

const RECORDS = [record('ada', 0), record('bob', 1)];

const REPLAY: LeasedReplay = {
  id: 'job000000000001' as LeasedReplay['id'],
  epoch: 1,
  workspace: WORKSPACE,
  pipeline: state.id,
  request: {
    mode: 'shadow',
    from: '2026-03-01T00:00:00.000Z' as never,
    to: '2026-03-02T00:00:00.000Z' as never,
    filter: null,
    version: null,
    draft: {} as never,
    ordering: 'key',
    sources: [SOURCE],
  },
  parts: [{ start: 0, end: 2 }],
  positions: [0],
  revision: 0,
  counts: noCounts(),
  kept: noExamples(),
};

/** The differences that a turn writes. @param whileRun is called while the function runs. */
const written = async (
  replica: RoutingReplica,
  whileRun: () => void,
): Promise<readonly (string | undefined)[]> => {
  replica.apply({ position: 1, state });
  const differences: (string | undefined)[] = [];
  const none = new SourceRoutes(SOURCE, [
    {
      lane: DESTINATION,
      workspace: WORKSPACE,
      connector: 'http',
      label: 'HTTP',
      pipelines: [],
      disabled: [],
    },
  ]);
  const context: TurnContext = {
    clock: new SystemClock(),
    log: {
      read: () => Promise.resolve({ records: RECORDS, next: 2, begin: 0, end: 2 }),
    },
    replica,
    routes: {
      prepare: ({ length }: readonly unknown[]) => Promise.resolve(length),
      at: () => none,
    } as unknown as Routes,
    leases: {
      checkpoint: (_: LeasedReplay, checkpoint: Checkpoint) => {
        differences.push(...checkpoint.differences.map(({ userId }) => userId));
        return Promise.resolve(true);
      },
    } as unknown as ReplayLeases,
    suppressions: new Suppressions(replica, keyedHash),
    functions: {
      run: (_, records) => {
        whileRun();
        return Promise.resolve({ records: records.map(() => ({ properties: {} })) } as never);
      },
      circuitOf: () => 'closed',
    },
    recorded: { of: () => Promise.resolve([]) },
    liveLagMs: () => 0,
    backoff: { backoffBaseMs: 1, backoffCapMs: 1 },
    onError: () => undefined,
  };
  const { signal } = new AbortController();
  await new ReplayTurn(context, REPLAY, new RecentIds(context)).run(5_000, signal);
  return differences;
};

it('keeps examples of differences', async () => {
  expect(compilePipeline(state).function).not.toBeNull();
  expect(await written(new RoutingReplica(), () => undefined)).toEqual(['ada', 'bob']);
});

it('keeps none of a user who was suppressed while a function ran, however long', async () => {
  const replica = new RoutingReplica();
  const suppress = (): void => {
    const id = suppressionId(keyedHash, WORKSPACE, 'ada');
    const suppression = { kind: 'suppression', id, workspace: WORKSPACE } as const;
    replica.apply({ position: 2, state: { ...suppression, version: 1, suppressed: true } });
  };
  expect(await written(replica, suppress)).toEqual(['bob']);
});
