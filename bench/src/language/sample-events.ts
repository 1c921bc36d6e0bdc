import { eventCodec } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';

/** Fills an event up to about 1 KB. */
const NOTE = 'x'.repeat(300);

const TYPES = ['track', 'page', 'identify', 'track', 'screen', 'group'] as const;
const OWN = {
  track: { event: 'Order Completed' },
  page: { name: 'Checkout', category: 'Shop' },
  screen: { name: 'Basket' },
  identify: {},
  group: { groupId: 'g-1' },
} as const;

const contextOf = (index: number) => ({
  ...(index % 2 === 0 && { app: { name: 'shop', version: `2.${index}` } }),
  ...(index % 3 !== 0 && { ip: '203.0.113.7' }),
  library: { name: 'bench', version: '1.0.0' },
  locale: index % 5 === 0 ? 'it-IT' : 'en-GB',
  page: { path: '/checkout', title: 'Checkout', url: 'https://shop.example.com/checkout' },
  ...(index % 7 !== 0 && { screen: { width: 1280, height: 720 } }),
  timezone: 'Europe/Rome',
});

const eventOf = (index: number): string => {
  const type = TYPES[index % TYPES.length] ?? 'track';
  const moment = `2026-01-02T03:04:${String(index % 60).padStart(2, '0')}.678Z`;
  const event = {
    connectionId: 'source0000000001',
    anonymousId: `anonymous-${index}`,
    context: contextOf(index),
    messageId: `message-${index}`,
    properties: {
      order_id: `o-${index}`,
      total: 129.9,
      items: index,
      currency: 'EUR',
      note: NOTE,
    },
    receivedAt: moment,
    sentAt: moment,
    originalTimestamp: moment,
    timestamp: moment,
    traits: {
      email: ` Ada.${index}@Example.com `,
      first: 'Ada',
      last: 'Lovelace',
      plan: index % 4 === 0 ? 'free' : 'pro',
    },
    type,
    ...OWN[type],
    ...(index % 2 === 1 && { userId: `user-${index}` }),
  };
  return eventCodec.encode(eventCodec.parse(JSON.stringify(event)));
};

/** Texts of events of about 1 KB, of many shapes: all types, with members present and missing. */
export const EVENT_TEXTS: readonly string[] = Array.from({ length: 84 }, (_, index) =>
  eventOf(index),
);

/** New records, whose JSON members have not been parsed yet. */
export const freshRecords = (): RecordValue[] => EVENT_TEXTS.map((text) => eventCodec.parse(text));
