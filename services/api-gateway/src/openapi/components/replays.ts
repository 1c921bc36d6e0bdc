import {
  DIFFERENCE_KINDS,
  type DifferenceView,
  REPLAY_COUNTS,
  REPLAY_DELIVERY_COUNTS,
  REPLAY_MODES,
  REPLAY_STATES,
  type ReplayCounts,
  type ReplayDeliveryCounts,
  type ReplayedResult,
  type ReplayFailureView,
  type ReplayProgress,
  type ReplayView,
} from '@penstock/contracts';
import {
  ANY_OBJECT,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';

const ID = ref('Id');

const COUNTS: Readonly<Record<keyof ReplayCounts, string>> = {
  duplicates: 'Repetitions of an event, which are left out.',
  suppressed: 'Of users who are suppressed, which are left out.',
  unreadable: 'Records that cannot be read.',
  expired: 'Records that retention has removed before they were read.',
  events: 'All that were compared: the sum of the last six numbers.',
  matched: 'Matched by the pipeline that is replayed.',
  rejected: 'Of those, rejected by the transformation or its schema.',
  same: 'Both give the same values, or both reject the event.',
  different: 'Both give values, which differ.',
  onlyBefore: 'Values were made before, and are not any more.',
  onlyNow: 'Values are made now, and were not before.',
  neither: 'Not matched by both, and values from neither.',
  unknown: 'What was made before is neither on record nor can be computed again.',
};

const SUMMARY = object(
  Object.fromEntries(REPLAY_COUNTS.map((name) => [name, described(INTEGER, COUNTS[name])])),
);

const DELIVERY_COUNTS: Readonly<Record<keyof ReplayDeliveryCounts, string>> = {
  events: 'Events of the window that were read: the sum of the other numbers.',
  delivered: 'Sent, and taken by the destination.',
  rejected: 'Rejected by the transformation, its schema or the destination.',
  parked: 'Given up: the retry budget was spent, or the pipeline was deleted meanwhile.',
  filtered:
    'Not matched by the filter of the pipeline or of the replay, or opted out of the destination.',
  suppressed: 'Of users who were suppressed when they were to be sent.',
  duplicates: 'Repetitions of an event within the window.',
  unreadable: 'Records that cannot be read.',
  expired: 'Records that retention has removed before they were sent.',
  open: 'Not ended yet.',
  left: 'Had not ended when the replay was cancelled.',
};

const DELIVERIES = object(
  Object.fromEntries(
    REPLAY_DELIVERY_COUNTS.map((name) => [name, described(INTEGER, DELIVERY_COUNTS[name])]),
  ),
);

const PROGRESS = object<keyof ReplayProgress>({
  read: described(
    INTEGER,
    'Records of the window that were read, of all sources; without those whose deliveries are open.',
  ),
  total: described(INTEGER, 'Records in the window.'),
  rate: described(
    INTEGER,
    'Records per second: of late or, in mode `deliver`, since its creation.',
  ),
  remainingSeconds: orNull(described(INTEGER, 'Null when that cannot be told.')),
});

const NO_COUNTS = Object.fromEntries(REPLAY_COUNTS.map((name) => [name, 0]));

const REPLAY = withExample(
  object<keyof ReplayView>({
    id: ID,
    pipeline: ID,
    mode: oneOf(REPLAY_MODES),
    state: oneOf(REPLAY_STATES),
    reason: described(TEXT, 'Why it has failed or was ended; else empty.'),
    from: TIME,
    to: TIME,
    filter: orNull(ref('Filter')),
    version: orNull(described(INTEGER, 'Null: a draft.')),
    createdAt: TIME,
    createdBy: described(TEXT, 'The API key.'),
    endedAt: orNull(described(TIME, 'Null while it runs.')),
    progress: PROGRESS,
    summary: orNull(described(SUMMARY, 'Null in mode `deliver`.')),
    deliveries: orNull(described(DELIVERIES, 'Null in mode `shadow`.')),
  }),
  {
    id: EXAMPLE_ID,
    pipeline: EXAMPLE_ID,
    mode: 'shadow',
    state: 'Running',
    reason: '',
    from: '2026-02-28T00:00:00.000Z',
    to: EXAMPLE_TIME,
    filter: null,
    version: 3,
    createdAt: EXAMPLE_TIME,
    createdBy: EXAMPLE_ID,
    endedAt: null,
    progress: { read: 50_000, total: 80_000, rate: 12_000, remainingSeconds: 3 },
    summary: {
      ...NO_COUNTS,
      events: 50_000,
      matched: 40_000,
      same: 39_990,
      different: 10,
      neither: 10_000,
    },
    deliveries: null,
  },
);

const RESULT = object<keyof ReplayedResult>({
  values: orNull(described(ANY_OBJECT, 'Null: none, or only their digest is on record.')),
  digest: orNull(described(TEXT, 'Identifies the values; null: none were made.')),
  rejectedAt: orNull(described(TEXT, 'The step at which it was rejected; null: it was not.')),
});

const DIFFERENCE = withExample(
  object<keyof DifferenceView>({
    delivery: described(TEXT, 'Id of the delivery, as lists of deliveries have it.'),
    messageId: TEXT,
    source: ID,
    receivedAt: TIME,
    kind: oneOf(DIFFERENCE_KINDS),
    before: orNull(described(RESULT, 'Null: not matched then.')),
    now: orNull(described(RESULT, 'Null: not matched now.')),
  }),
  {
    delivery: '4Gd1oZtWm0bqPnA6TzXk9',
    messageId: 'c6d4a1f0-8a0e-4a3b-9d3f-0b8f5c2f7a11',
    source: EXAMPLE_ID,
    receivedAt: EXAMPLE_TIME,
    kind: 'Different',
    before: { values: { item: 'Tea' }, digest: 'kP3vQ8xT1aE', rejectedAt: null },
    now: { values: { item: 'tea' }, digest: '5hWm0bqPnA6', rejectedAt: null },
  },
);

const FAILURE = withExample(
  object<keyof ReplayFailureView>({
    delivery: described(TEXT, 'Id of the delivery, as lists of deliveries have it.'),
    messageId: TEXT,
    source: ID,
    receivedAt: TIME,
    state: oneOf(['Rejected', 'Parked']),
    step: described(TEXT, 'The step at which it ended.'),
    code: TEXT,
    reason: TEXT,
    attempts: described(INTEGER, 'Requests with it.'),
    endedAt: TIME,
  }),
  {
    delivery: '4Gd1oZtWm0bqPnA6TzXk9',
    messageId: 'c6d4a1f0-8a0e-4a3b-9d3f-0b8f5c2f7a11',
    source: EXAMPLE_ID,
    receivedAt: EXAMPLE_TIME,
    state: 'Rejected',
    step: 'Finalize',
    code: '400',
    reason: 'answered 400: no such item',
    attempts: 1,
    endedAt: EXAMPLE_TIME,
  },
);

/** Components for replays. */
export const REPLAYS: Readonly<Record<string, JsonSchema>> = {
  Replay: REPLAY,
  ReplayList: page('replays', 'Replay', REPLAY),
  DifferenceList: page('differences', 'Difference', DIFFERENCE),
  Difference: DIFFERENCE,
  ReplayFailureList: page('failures', 'ReplayFailure', FAILURE),
  ReplayFailure: FAILURE,
  CreatedReplay: {
    description: 'The id of the replay or, of a dry run, the number of its events.',
    anyOf: [
      object({ id: ID }),
      object({
        count: INTEGER,
        isComplete: described(
          FLAG,
          'Whether all of the window was counted; false: there are more.',
        ),
      }),
    ],
    examples: [{ id: EXAMPLE_ID }, { count: 1_000, isComplete: true }],
  },
};
