import {
  type AccessView,
  type ConservationView,
  type DeliveryCount,
  type DeliveryCounts,
  type DeliveryView,
  END_STATES,
  STORED_STATES,
  type StoredDeliveryView,
} from '@penstock/contracts';
import {
  ANY_OBJECT,
  arrayOf,
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
const STATE = oneOf(STORED_STATES);
const CODE = described(TEXT, 'Why it ended, from a short list; empty while it waits.');

const EXAMPLE = {
  id: '4Gd1oZtWm0bqPnA6TzXk9',
  pipeline: EXAMPLE_ID,
  pipelineVersion: 3,
  connection: EXAMPLE_ID,
  source: EXAMPLE_ID,
  messageId: 'c6d4a1f0-8a0e-4a3b-9d3f-0b8f5c2f7a11',
  state: 'Rejected',
  step: 'Finalize',
  code: '400',
  reason: 'answered 400',
  attempts: 1,
  receivedAt: EXAMPLE_TIME,
  endedAt: EXAMPLE_TIME,
  nextAttemptAt: null,
};

const MEMBERS: Readonly<Record<keyof StoredDeliveryView, JsonSchema>> = {
  id: described({ type: 'string', pattern: '^[0-9A-Za-z_-]{16,60}$' }, 'Opaque.'),
  pipeline: ID,
  pipelineVersion: described(INTEGER, 'The version that the event was routed by.'),
  connection: described(ID, 'The destination.'),
  source: orNull(described(ID, 'Null: the stored event cannot be read.')),
  messageId: orNull(described(TEXT, 'Null: the stored event cannot be read.')),
  state: STATE,
  step: orNull(described(TEXT, 'The step at which it ended; null while it waits.')),
  code: CODE,
  reason: described(TEXT, 'For people: what the last attempt, or the ending, has said.'),
  attempts: described(INTEGER, 'Requests that were sent.'),
  receivedAt: TIME,
  endedAt: orNull(described(TIME, 'Null while it waits.')),
  nextAttemptAt: orNull(described(TIME, 'Null when it has ended.')),
};

const DELIVERY = withExample(object(MEMBERS), EXAMPLE);

const WHOLE = withExample(
  object<keyof DeliveryView>({
    ...MEMBERS,
    detail: described(TEXT, 'With an excerpt of what the destination, or a function, has said.'),
    event: orNull(described(ANY_OBJECT, 'As it was accepted; null: it cannot be read.')),
    isMasked: described(FLAG, 'Whether every value is replaced by `••••`.'),
  }),
  {
    ...EXAMPLE,
    detail: 'answered 400: no such product',
    event: { type: 'track', event: 'Add to Cart', userId: 'user-1' },
    isMasked: false,
  },
);

const ACCESS = withExample(
  object<keyof AccessView>({
    at: TIME,
    key: described(ID, 'The API key.'),
    delivery: described(TEXT, 'Id of the delivery, or the `place` of the event that was traced.'),
    requestId: TEXT,
  }),
  { at: EXAMPLE_TIME, key: EXAMPLE_ID, delivery: EXAMPLE.id, requestId: 'f0c1d2e3a4b5-1' },
);

const COUNT = object<keyof DeliveryCount>({ state: STATE, code: CODE, count: INTEGER });

const COUNT_OF_PIPELINE = object<keyof DeliveryCount | 'pipeline'>({
  pipeline: ID,
  state: STATE,
  code: CODE,
  count: INTEGER,
});

const ENDINGS = { Delivered: 90, Filtered: 6, Rejected: 2, Parked: 0, Duplicate: 1 };

const LIVE_EXAMPLE = [
  'id: 41',
  'event: outcome',
  `data: {"event":"3/812","source":"${EXAMPLE_ID}","pipeline":"${EXAMPLE_ID}","pipelineVersion":3,` +
    `"connection":"${EXAMPLE_ID}","state":"Delivered","code":"","attempts":1,"status":200,"at":"${EXAMPLE_TIME}"}`,
  '',
  '',
].join('\n');

/** Components for deliveries. */
export const DELIVERIES: Readonly<Record<string, JsonSchema>> = {
  Delivery: DELIVERY,
  DeliveryList: page('deliveries', 'Delivery', DELIVERY),
  WholeDelivery: WHOLE,
  Access: ACCESS,
  AccessList: page('accesses', 'Access', ACCESS),
  DeliveryCounts: withExample(
    object<keyof DeliveryCounts>({
      counts: described(arrayOf(COUNT), 'All of them, the largest number first.'),
      pipelines: described(arrayOf(COUNT_OF_PIPELINE), 'By pipeline, the largest number first.'),
      isCut: described(FLAG, 'Whether smaller numbers of `pipelines` are left out.'),
    }),
    {
      counts: [{ state: 'Rejected', code: '400', count: 2 }],
      pipelines: [{ pipeline: EXAMPLE_ID, state: 'Rejected', code: '400', count: 2 }],
      isCut: false,
    },
  ),
  LiveEvents: withExample(
    described(
      TEXT,
      'Each `data` is a JSON object: of an `event` its `id`, `source`, `messageId`, `type`, `receivedAt`, `receipt` (`New`, ' +
        '`Duplicate` or `DifferentBody`), `pipelines` (each with `pipeline`, `pipelineVersion`, `connection`, `state` `Open` ' +
        'or `Filtered`, and `code`), `event` and `isMasked`; of an `outcome` the id of its `event`, `source`, `pipeline`, ' +
        '`pipelineVersion`, `connection`, `state`, `code`, `attempts`, `status` and `at`; of `dropped` a `count` (null: not ' +
        'known) and a `reason` (`Rate` with its `source`, `SlowReader` or `Expired`).',
    ),
    LIVE_EXAMPLE,
  ),
  Conservation: withExample(
    object<keyof ConservationView>({
      accepted: described(
        INTEGER,
        'Events of sources while they were linked with the destination of the pipeline.',
      ),
      endings: object<(typeof END_STATES)[number]>({
        Delivered: INTEGER,
        Filtered: INTEGER,
        Rejected: INTEGER,
        Parked: INTEGER,
        Duplicate: INTEGER,
      }),
      open: described(INTEGER, 'Matched, and neither delivered nor given up.'),
      behind: described(
        INTEGER,
        'Records of the log that the destination has yet to read, when it catches up: events among them are in no other number. 0: all numbers are exact.',
      ),
    }),
    { accepted: 100, endings: ENDINGS, open: 1, behind: 0 },
  ),
};
