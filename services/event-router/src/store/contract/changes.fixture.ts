import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type {
  AttemptRecord,
  Cursor,
  DuplicateRecord,
  OpenDelivery,
  OutcomeRecord,
  PartitionChanges,
  StoredDelivery,
} from '../changes';
import type { LeaseGrant, RouterStore } from '../router-store';

export const PIPELINE = 'pipeline00000a' as PipelineId;
export const OTHER_PIPELINE = 'pipeline00000b' as PipelineId;
export const LANE = 'connection000a' as ConnectionId;
export const OTHER_LANE = 'connection000b' as ConnectionId;
export const AUDIENCE = '00000000-0000-4000-8000-00000000000a';
export const HASH = '000000000000400080000000000000aa';

/** A commit with this sequence that contains only the given changes. */
export const changesOf = (
  { partition, epoch }: LeaseGrant,
  sequence: number,
  given: Partial<PartitionChanges> = {},
): PartitionChanges => ({
  partition,
  epoch,
  sequence,
  routed: sequence,
  mark: null,
  open: [],
  closed: [],
  snapshot: null,
  cursors: [],
  droppedCursors: [],
  repeats: [],
  repeatsFrom: 0,
  counts: new Map(),
  bases: new Map(),
  sources: new Map(),
  times: new Map(),
  audiences: [],
  messages: new Map(),
  duplicates: [],
  stored: [],
  postponed: [],
  settled: [],
  redriven: [],
  redriveTried: [],
  redrivesStopped: [],
  replayed: [],
  unreadable: [],
  outcomes: [],
  attempts: [],
  ...given,
});

export const openDelivery = (given: Partial<OpenDelivery> = {}): OpenDelivery => ({
  offset: 0,
  pipeline: PIPELINE,
  version: 1,
  attempts: 0,
  dueMs: 0,
  ...given,
});

export const cursorAt = (given: Partial<Cursor> = {}): Cursor => ({
  lane: LANE,
  orderKey: '',
  position: 0,
  owed: new Map(),
  ...given,
});

export const storedDelivery = (given: Partial<StoredDelivery> = {}): StoredDelivery => ({
  offset: 0,
  pipeline: PIPELINE,
  version: 1,
  lane: LANE,
  orderKey: 'source/user',
  attempts: 1,
  dueMs: 1_700_000_000_123,
  state: 'Waiting',
  step: null,
  code: '',
  reason: 'refused',
  body: '{"event":"E"}',
  ...given,
});

export const outcomeRecord = (given: Partial<OutcomeRecord> = {}): OutcomeRecord => ({
  offset: 0,
  pipeline: PIPELINE,
  version: 1,
  state: 'Delivered',
  code: '',
  attempts: 1,
  atMs: 1_700_000_000_000,
  status: 200,
  made: '',
  ...given,
});

export const attemptRecord = (given: Partial<AttemptRecord> = {}): AttemptRecord => ({
  offset: 0,
  pipeline: PIPELINE,
  version: 1,
  attempt: 1,
  atMs: 1_700_000_000_000,
  status: 503,
  reason: 'answered 503',
  dueMs: 1_700_000_001_000,
  ...given,
});

export const duplicateRecord = (given: Partial<DuplicateRecord> = {}): DuplicateRecord => ({
  offset: 1,
  hash: HASH,
  differs: false,
  atMs: 1_700_000_000_000,
  ...given,
});

/** Acquires the partition. @throws Error when it is not free. */
export const acquired = async (store: RouterStore, partition = 0): Promise<LeaseGrant> => {
  const [grant] = await store.acquire([partition]);
  if (grant === undefined) throw new Error(`partition ${partition} is not free`);
  return grant;
};
