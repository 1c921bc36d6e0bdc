import {
  bodyDigest,
  type ConnectionId,
  eventCodec,
  orderKey,
  type WorkspaceId,
  writeAcceptedEvent,
} from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import fc from 'fast-check';
import { readIncoming } from './incoming';
import { formerMessageHash, IncomingEvent, messageHash, messageHashPrefix } from './incoming-event';

const EVENT =
  '{"connectionId":"source000000001","anonymousId":"a","event":"Order","messageId":"m-1",' +
  '"properties":{"receivedAt":"1999-01-01T00:00:00Z"},"receivedAt":"2026-01-02T03:04:05.678Z",' +
  '"sentAt":"2026-01-02T03:04:05Z","originalTimestamp":"2026-01-02T03:04:05Z",' +
  '"timestamp":"2026-01-02T03:04:05Z","traits":{},"type":"track"}';

const HEAD = {
  workspace: 'workspace000001' as WorkspaceId,
  source: 'source000000001' as ConnectionId,
  messageId: 'm-1',
  seen: 12,
  integrations: null,
  digest: bodyDigest(EVENT, ''),
};

const record = (value: string | null): LogRecord => ({
  partition: 3,
  offset: 7,
  timestampMs: 1_000,
  key: orderKey(HEAD.source, 'a'),
  value,
});

const incomingEvent = (eventText = EVENT): IncomingEvent => {
  const incoming = readIncoming(record(writeAcceptedEvent({ ...HEAD, eventText })));
  if (incoming.kind !== 'event') throw new Error(incoming.reason);
  return incoming;
};

it('reads an accepted event', () => {
  const incoming = incomingEvent();
  expect(incoming.head).toEqual({ ...HEAD, eventText: EVENT });
  expect(incoming.orderKey).toBe('source000000001/a');
  expect(incoming.eventText).toBe(EVENT);
  expect(incoming.event).toMatchObject({ type: 'track', event: 'Order' });
  expect(incoming.fault).toBe('');
  expect(incoming.receivedAtMs).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  expect(incoming.hash).toBe(messageHash('source000000001/a', 'm-1'));
  expect(incoming.record).toMatchObject({ partition: 3, offset: 7 });
});

it('parses the event once, on first use', () => {
  const parse = jest.spyOn(eventCodec, 'parse');
  const incoming = incomingEvent();
  expect(incoming.hash).toBeDefined();
  expect(parse).not.toHaveBeenCalled();
  expect([incoming.event, incoming.fault, incoming.receivedAtMs]).toBeDefined();
  expect(incoming.event).toBe(incoming.event);
  expect(parse).toHaveBeenCalledTimes(1);
  const other = incomingEvent('{');
  expect([other.event, other.event, other.fault]).toBeDefined();
  expect(parse).toHaveBeenCalledTimes(2);
  parse.mockRestore();
});

it.each(['', '{', '[]', '1', '{"type":1}', '{"unknown":true}'])(
  'reports that %j is not a valid event',
  (eventText) => {
    const incoming = incomingEvent(eventText);
    expect(incoming.fault).toBe('its event does not fit the schema');
    expect(incoming.event).toBeUndefined();
    expect(incoming.receivedAtMs).toBe(1_000);
  },
);

it('uses the time of the record when the event has no receivedAt', () => {
  expect(incomingEvent('{"type":"track"}').receivedAtMs).toBe(1_000);
});

it('reports why a record cannot be read', () => {
  expect(readIncoming(record(null))).toEqual({
    kind: 'unreadable',
    record: record(null),
    reason: 'it has no value',
    newer: false,
  });
  expect(readIncoming(record('nonsense'))).toMatchObject({
    kind: 'unreadable',
    reason: 'it has no head',
    newer: false,
  });
  expect(readIncoming(record('[7]\n{}'))).toMatchObject({
    kind: 'unreadable',
    reason: 'form 7 is newer than 1, the newest that this version reads',
    newer: true,
  });
});

it('never throws, whatever the record contains', () => {
  const heads = fc
    .array(fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(HEAD))), { maxLength: 7 })
    .map((members) => JSON.stringify([1, ...members]));
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(heads, fc.oneof(fc.json(), fc.string(), fc.constant(EVENT)))
      .map((all) => all.join('\n')),
  );
  fc.assert(
    fc.property(values, (value) => {
      const incoming = readIncoming(record(value));
      if (incoming.kind === 'unreadable') expect(incoming.reason).not.toBe('');
      else expect(incoming.event === undefined).toBe(incoming.fault !== '');
    }),
    { numRuns: 1_000 },
  );
});

it('hashes a message id as earlier versions did', () => {
  expect(formerMessageHash('source000000001/a', 'm-1')).toBe('8b29537e40e7a0cfe845044de374a9d1');
  expect(incomingEvent().formerHash).toBe('8b29537e40e7a0cfe845044de374a9d1');
});

it('hashes a message id so that its events are neighbours, and differ by their order keys', () => {
  const [one, other] = ['a', 'b'].map((user) => messageHash(`source000000001/${user}`, 'm-1'));
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(one).not.toBe(other);
  expect(one?.startsWith(messageHashPrefix('m-1'))).toBe(true);
  expect(other?.startsWith(messageHashPrefix('m-1'))).toBe(true);
  expect(messageHashPrefix('m-1')).toHaveLength(12);
  expect(messageHashPrefix('m-2')).not.toBe(messageHashPrefix('m-1'));
  expect(one?.slice(12)).toBe(formerMessageHash('source000000001/a', 'm-1').slice(0, 20));
});
