import { EVENT_SCHEMA } from '@penstock/contracts';
import { described, type JsonSchema } from '../schema/json-schema';
import { jsonSchemaOf } from '../schema/type-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';

export const EVENT_EXAMPLE = {
  connectionId: EXAMPLE_ID,
  anonymousId: '8f3e6a5c-52d4-4c11-9d1f-2f8f4c8e7b10',
  messageId: 'b9d1a9b4-9b8a-4d3c-8a64-1f0e0a9f6c21',
  type: 'track',
  event: 'Add to Cart',
  userId: 'Ada',
  properties: { item_name: 'tea pot', item_id: 42 },
  traits: { email: 'ada@example.com' },
  receivedAt: EXAMPLE_TIME,
  sentAt: EXAMPLE_TIME,
  originalTimestamp: EXAMPLE_TIME,
  timestamp: EXAMPLE_TIME,
};

const { properties = {} } = jsonSchemaOf(EVENT_SCHEMA);

/** An event of the warehouse: with the properties that are wanted, those that it has. */
const STORED_EVENT = withExample(
  {
    type: 'object',
    properties: {
      ...(properties as Readonly<Record<string, JsonSchema>>),
      profileId: described(
        { type: 'string', format: 'uuid' },
        'Id of its profile. Absent until it is resolved.',
      ),
    },
  },
  { ...EVENT_EXAMPLE, profileId: 'c0ffee00-0000-4000-8000-000000000001' },
);

/** Component for an event as pipelines receive it. */
export const EVENT: Readonly<Record<string, JsonSchema>> = {
  Event: { ...jsonSchemaOf(EVENT_SCHEMA), examples: [EVENT_EXAMPLE] },
  StoredEvent: STORED_EVENT,
  StoredEventList: page('events', 'StoredEvent', STORED_EVENT),
};
