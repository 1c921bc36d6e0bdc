import { EVENT_TYPES, type EventType } from '../../intake/event/event-type';
import {
  ANY_OBJECT,
  arrayOf,
  described,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';

type Members = Readonly<Record<string, JsonSchema>>;

const textOrNull = (more: JsonSchema = {}): JsonSchema => ({ type: ['string', 'null'], ...more });

const OBJECT_OR_NULL: JsonSchema = { type: ['object', 'null'] };
const TIME_OR_ABSENT: JsonSchema = { anyOf: [TIME, { enum: ['', null] }] };
/** A text without NUL, which would cause the event to be rejected; or null. */
const CLEAN = textOrNull({ pattern: '^[^\\u0000]*$' });
const CLEAN_AND_GIVEN: JsonSchema = { type: 'string', minLength: 1, pattern: '^[^\\u0000]*$' };

/** Members of every type of event. */
const MEMBERS: Members = {
  messageId: { ...CLEAN, maxLength: 255 },
  anonymousId: CLEAN,
  userId: CLEAN,
  channel: CLEAN,
  sentAt: TIME_OR_ABSENT,
  originalTimestamp: TIME_OR_ABSENT,
  timestamp: TIME_OR_ABSENT,
  properties: OBJECT_OR_NULL,
  traits: OBJECT_OR_NULL,
  context: described(OBJECT_OR_NULL, 'Values that do not fit are left out, each with a warning.'),
  integrations: OBJECT_OR_NULL,
};

/** Members of one type only; on other types they are dropped unchecked. */
const OWN_MEMBERS: Readonly<Record<EventType, readonly [required: Members, optional: Members]>> = {
  alias: [{ previousId: CLEAN_AND_GIVEN }, {}],
  group: [{ groupId: CLEAN_AND_GIVEN }, {}],
  identify: [{}, {}],
  page: [{}, { name: CLEAN, category: CLEAN }],
  screen: [{}, { name: CLEAN, category: CLEAN }],
  track: [{ event: CLEAN_AND_GIVEN }, {}],
};

const given = (name: string): JsonSchema => object({ [name]: { type: 'string', minLength: 1 } });

const WHO = { anyOf: [given('anonymousId'), given('userId')] };

const EXAMPLES: Readonly<Record<EventType, JsonSchema>> = {
  alias: { previousId: 'visitor-7', userId: 'Ada' },
  group: { groupId: 'acme', userId: 'Ada', traits: { plan: 'pro' } },
  identify: { userId: 'Ada', traits: { email: 'ada@example.com' } },
  page: { name: 'Tea pots', anonymousId: 'visitor-7' },
  screen: { name: 'Basket', anonymousId: 'visitor-7' },
  track: {
    event: 'Add to Cart',
    userId: 'Ada',
    properties: { item_name: 'tea pot', item_id: 42 },
  },
};

const TRACK = { type: 'track', ...EXAMPLES.track };

/** Schema of an event with the members that its type requires. */
const eventOf = (type: EventType): JsonSchema => {
  const [required, optional] = OWN_MEMBERS[type];
  const members = { type: { type: 'string', const: type }, ...required };
  return { ...object(members, { ...MEMBERS, ...optional }), ...WHO };
};

/** Schema of an event that is posted to a path of its type: the member `type` is optional. */
const eventAtPathOf = (type: EventType): JsonSchema => {
  const [required, optional] = OWN_MEMBERS[type];
  const typeMember = { type: ['string', 'null'], enum: [type, null] };
  return {
    ...object(required, { type: typeMember, ...MEMBERS, ...optional }),
    ...WHO,
    examples: [EXAMPLES[type]],
  };
};

/** Name of the component for events that are posted to a path of their type. */
export const bodyNameOf = (type: EventType): string =>
  `Sent${type.charAt(0).toUpperCase()}${type.slice(1)}`;

const EVENTS: JsonSchema = { ...arrayOf(ref('SentEvent')), maxItems: 20_000 };

/** Components for intake: bodies that senders send, and answers. */
export const INTAKE: Readonly<Record<string, JsonSchema>> = {
  SentEvent: {
    description: 'Members that are not named here are left out; null and an empty text are absent.',
    oneOf: EVENT_TYPES.map(eventOf),
    examples: [TRACK],
  },
  ...Object.fromEntries(EVENT_TYPES.map((type) => [bodyNameOf(type), eventAtPathOf(type)])),
  EventBatch: {
    oneOf: [
      EVENTS,
      object(
        { batch: EVENTS },
        {
          sentAt: TIME_OR_ABSENT,
          context: OBJECT_OR_NULL,
          writeKey: described(
            {},
            'The event write key, if it is in no header and not in the query.',
          ),
        },
      ),
    ],
    examples: [{ batch: [TRACK] }],
  },
  Submission: { anyOf: [ref('SentEvent'), ref('EventBatch')], examples: [TRACK] },
  WebhookBody: {
    description: 'Any JSON from which the connector of the source can create an event.',
    examples: [TRACK],
  },
  BrowserSettings: { ...ANY_OBJECT, examples: [{ integrations: {} }] },
  Accepted: {
    ...object(
      { accepted: INTEGER },
      { rejected: arrayOf(ref('Rejected')), warnings: arrayOf(ref('Warning')) },
    ),
    examples: [{ accepted: 1 }],
  },
  Rejected: object(
    {
      index: described(INTEGER, 'Index of the event in the request, from 0.'),
      code: oneOf(['InvalidEvent', 'EventTooLarge']),
      message: TEXT,
      path: described(TEXT, 'JSON pointer within the event.'),
    },
    { messageId: TEXT },
  ),
  Warning: object({ index: INTEGER, path: TEXT, message: TEXT }),
};
