import { type ConnectionId, type PipelineId, writeAcceptedEvent } from '@penstock/contracts';
import { countKey, type PartitionChanges, type StoredDelivery, timesKey } from '../store/changes';
import { withoutRefused } from './without-refused';

const NOW_MS = 60_000;

const row = (offset: number, members: Partial<StoredDelivery>): StoredDelivery => ({
  offset,
  pipeline: 'pipeline' as PipelineId,
  version: 1,
  lane: 'lane' as ConnectionId,
  orderKey: 'key',
  attempts: 1,
  dueMs: 0,
  state: 'Waiting',
  step: null,
  code: '',
  reason: 'not now',
  body: 'body',
  ...members,
});

it('turns refused rows into dead letters without a body, and changes nothing else', () => {
  const rejected = { state: 'Rejected', step: 'Finalize', code: '400' } as const;
  const before = countKey('pipeline' as PipelineId, rejected, 1);
  const stored = [row(1, { attempts: 4 }), row(2, { ...rejected, attempts: 3 }), row(3, {})];
  const { pipeline, version } = stored[0]!;
  const attempts = 3;
  const ended = { pipeline, version, attempts, state: 'Rejected', code: '400' } as const;
  const outcomes = [
    { ...ended, offset: 2, atMs: 1, status: 400, made: 'a digest' },
    { ...ended, offset: 4, atMs: 2, status: 400 },
  ];
  const counted = new Map([[before, 1]]);
  const [then, now] = [timesKey(pipeline, 1), timesKey(pipeline, NOW_MS)];
  const times = new Map([[then, { retries: 2, latencies: new Map([[5, 1]]) }]]);
  const changes = { stored, outcomes, counts: counted, times } as unknown as PartitionChanges;

  const {
    stored: rows,
    counts,
    times: taken,
    outcomes: onRecord,
  } = withoutRefused(changes, stored.slice(0, 2), NOW_MS);

  expect(rows.map(({ state, code, body }) => [state, code, body])).toEqual([
    ['Rejected', 'Unstorable', ''],
    ['Rejected', 'Unstorable', ''],
    ['Waiting', '', 'body'],
  ]);
  const after = countKey('pipeline' as PipelineId, { ...rejected, code: 'Unstorable' }, NOW_MS);
  expect(Object.fromEntries(counts)).toEqual({ [before]: 0, [after]: 2 });
  expect(Object.fromEntries(taken)).toEqual({
    [then]: times.get(then),
    [now]: { retries: 3, latencies: new Map() },
  });
  expect(onRecord).toEqual([
    { ...ended, offset: 2, code: 'Unstorable', atMs: NOW_MS, status: 400, made: 'a digest' },
    { ...ended, offset: 4, atMs: 2, status: 400 },
    { ...ended, attempts: 4, offset: 1, code: 'Unstorable', atMs: NOW_MS, status: 0, made: '' },
  ]);
});

it('keeps the workspace and the source of the event, by which the dead letter is listed', () => {
  const accepted = {
    workspace: 'workspace000001',
    source: 'source000000001',
    messageId: 'refused',
    seen: 7,
    integrations: { refused: true },
    digest: 'AAAAAAAAAAAAAAAA',
    eventText: '{"refused":true}',
  };
  const stored = [row(1, { body: writeAcceptedEvent(accepted as never) })];
  const changes = { stored, outcomes: [], counts: new Map() } as unknown as PartitionChanges;
  const [emptied] = withoutRefused(changes, stored, NOW_MS).stored;
  expect(emptied?.body).toBe(
    '[1,"workspace000001","source000000001","",7,null,"AAAAAAAAAAAAAAAA"]\n',
  );
});
