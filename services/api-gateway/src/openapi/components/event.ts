import { EVENT_SCHEMA } from '@penstock/contracts';
import type { JsonSchema } from '../schema/json-schema';
import { jsonSchemaOf } from '../schema/type-schema';
import { EXAMPLE_ID, EXAMPLE_TIME } from './answer';

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

/** Component for an event as pipelines receive it. */
export const EVENT: Readonly<Record<string, JsonSchema>> = {
  Event: { ...jsonSchemaOf(EVENT_SCHEMA), examples: [EVENT_EXAMPLE] },
};
