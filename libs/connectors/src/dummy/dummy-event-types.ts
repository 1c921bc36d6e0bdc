import { type Json, parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { EventType } from '../event-destination';

const json = (plain: unknown): Json => parseJson(JSON.stringify(plain));

const schema = (...properties: readonly object[]): Schema =>
  parseSchema(json({ kind: 'object', properties }));

/** Every condition has to hold: the property is the value. */
const all = (conditions: Readonly<Record<string, string>>): Json =>
  json({
    logical: 'and',
    conditions: Object.entries(conditions).map(([property, value]) => ({
      property,
      operator: 'is',
      values: [value],
    })),
  });

const TEXT = { kind: 'string' };
const EMAIL = { name: 'email', type: TEXT };
const TRAIT_EMAIL = { ...EMAIL, prefilled: 'traits.email', createRequired: true };
const ADDRESS = {
  kind: 'object',
  properties: [
    { name: 'street1', type: TEXT },
    { name: 'street2', type: TEXT },
  ],
};

export const DUMMY_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'send_add_to_cart',
    name: 'Send add to cart',
    description: 'Sends an item that was added to a cart.',
    defaultFilter: all({ type: 'track', event: 'Add to Cart' }),
    schema: schema(
      TRAIT_EMAIL,
      { name: 'itemName', type: TEXT, prefilled: 'properties.item_name' },
      { name: 'itemId', type: { kind: 'int', bitSize: 32 }, prefilled: 'properties.item_id' },
    ),
  },
  {
    id: 'send_custom_event',
    name: 'Send custom event',
    description: 'Sends an event with an email address.',
    defaultFilter: null,
    schema: schema(EMAIL),
  },
  {
    id: 'send_identity',
    name: 'Send identity',
    description: 'Sends who a user is.',
    defaultFilter: all({ type: 'identify' }),
    schema: schema(TRAIT_EMAIL, {
      name: 'traits',
      type: { kind: 'object', properties: [{ name: 'address', type: ADDRESS }] },
    }),
  },
  {
    id: 'send_generic_event',
    name: 'Send generic event',
    description: 'Sends any JSON.',
    defaultFilter: null,
    schema: schema({ name: 'properties', type: { kind: 'json' } }),
  },
  {
    id: 'send_event_with_no_schema',
    name: 'Send event with no schema',
    description: 'Sends the event without values.',
    defaultFilter: null,
    schema: null,
  },
];
