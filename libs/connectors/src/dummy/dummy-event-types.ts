import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, objectOf, TEXT } from '../event-types/event-schema';

const EMAIL = { name: 'email', type: TEXT };
const TRAIT_EMAIL = { ...EMAIL, prefilled: 'traits.email', createRequired: true };
const ADDRESS = objectOf({ name: 'street1', type: TEXT }, { name: 'street2', type: TEXT });

export const DUMMY_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'send_add_to_cart',
    name: 'Send add to cart',
    description: 'Sends an item that was added to a cart.',
    defaultFilter: allAre({ type: 'track', event: 'Add to Cart' }),
    schema: eventSchema(
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
    schema: eventSchema(EMAIL),
  },
  {
    id: 'send_identity',
    name: 'Send identity',
    description: 'Sends who a user is.',
    defaultFilter: allAre({ type: 'identify' }),
    schema: eventSchema(TRAIT_EMAIL, {
      name: 'traits',
      type: objectOf({ name: 'address', type: ADDRESS }),
    }),
  },
  {
    id: 'send_generic_event',
    name: 'Send generic event',
    description: 'Sends any JSON.',
    defaultFilter: null,
    schema: eventSchema({ name: 'properties', type: ANY_JSON }),
  },
  {
    id: 'send_event_with_no_schema',
    name: 'Send event with no schema',
    description: 'Sends the event without values.',
    defaultFilter: null,
    schema: null,
  },
];
