/** JSON text of an event with all members that every event has, and some of them changed. */
export const anEvent = (changes: object = {}): string =>
  JSON.stringify({
    connectionId: 'source0000001',
    anonymousId: 'anonymous-1',
    event: 'Add to Cart',
    messageId: 'message-1',
    properties: { name: 'Tea' },
    receivedAt: '2026-03-01T09:30:00Z',
    sentAt: '2026-03-01T09:30:00Z',
    originalTimestamp: '2026-03-01T09:30:00Z',
    timestamp: '2026-03-01T09:30:00Z',
    traits: { email: 'ada@example.com' },
    type: 'track',
    ...changes,
  });
