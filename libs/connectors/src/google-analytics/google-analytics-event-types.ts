import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, NUMBER, objectOf, TEXT } from '../event-types/event-schema';

const text = (name: string, more: object = {}) => ({ name, type: TEXT, ...more });
const number = (name: string) => ({ name, type: NUMBER });
const required = { createRequired: true };

const MONEY = [text('currency', { description: 'ISO 4217.' }), number('value')];

const ITEM = objectOf(
  text('item_id'),
  text('item_name'),
  number('price'),
  { name: 'quantity', type: { kind: 'int', bitSize: 32 } },
  text('item_brand'),
  text('item_category'),
  text('item_variant'),
  text('coupon'),
  number('discount'),
);
const items = (more: object = {}) => ({
  name: 'items',
  type: { kind: 'array', elementType: ITEM },
  ...more,
});

const cart = [...MONEY, items(required)];
const transaction = [
  text('transaction_id', required),
  ...MONEY,
  number('tax'),
  number('shipping'),
  text('coupon'),
  items(),
];

/** Recommended events of the vendor: their values are its parameters, under the same names. */
const RECOMMENDED: readonly (readonly [string, string, readonly object[]])[] = [
  ['login', 'Login', [text('method')]],
  ['sign_up', 'Sign up', [text('method')]],
  ['search', 'Search', [text('search_term', required)]],
  ['view_item', 'View item', cart],
  ['add_to_cart', 'Add to cart', cart],
  ['remove_from_cart', 'Remove from cart', cart],
  ['begin_checkout', 'Begin checkout', cart],
  ['purchase', 'Purchase', transaction],
  ['refund', 'Refund', transaction],
  ['generate_lead', 'Generate lead', MONEY],
];

export const GOOGLE_ANALYTICS_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'page_view',
    name: 'Page view',
    description: 'Sends a view of a page.',
    defaultFilter: allAre({ type: 'page' }),
    schema: eventSchema(
      text('page_location', { prefilled: 'context.page.url', ...required }),
      text('page_title', { prefilled: 'context.page.title' }),
      text('page_referrer', { prefilled: 'context.page.referrer' }),
    ),
  },
  ...RECOMMENDED.map(([id, name, params]) => ({
    id,
    name,
    description: `Sends the event ${id}.`,
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(...params),
  })),
  {
    id: 'custom',
    name: 'Custom event',
    description: 'Sends an event under its own name.',
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(text('name', { prefilled: 'event', ...required }), {
      name: 'params',
      type: ANY_JSON,
      prefilled: 'properties',
      description: 'Parameters of the event: an object.',
    }),
  },
];
