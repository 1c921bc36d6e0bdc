import fc from 'fast-check';
import {
  type AcceptedEvent,
  bodyDigest,
  orderKey,
  readAcceptedEvent,
  writeAcceptedEvent,
} from './accepted-event';
import type { ConnectionId, WorkspaceId } from './ids';
import { UnreadableEvent } from './unreadable-event';

const accepted: AcceptedEvent = {
  workspace: 'workspace000001' as WorkspaceId,
  source: 'source000000001' as ConnectionId,
  messageId: 'm-1',
  seen: 12,
  integrations: null,
  digest: bodyDigest('{"before"', '"after"}'),
  eventText: '{"type":"track"}',
};

const HEAD = [1, 'workspace000001', 'source000000001', 'm-1', 12, null, accepted.digest];

const message = (head: unknown): string => `${JSON.stringify(head)}\n{"type":"track"}`;

/** The head with one member replaced. */
const headWith = (index: number, value: unknown): unknown[] => HEAD.with(index, value as never);

const failure = (value: string): UnreadableEvent => {
  try {
    readAcceptedEvent(value);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableEvent);
    return error as UnreadableEvent;
  }
  throw new Error('it was read');
};

it('reads what was written', () => {
  expect(readAcceptedEvent(writeAcceptedEvent(accepted))).toEqual(accepted);
  expect(readAcceptedEvent(message(HEAD))).toEqual(accepted);
});

it('reads whatever a gateway may write', () => {
  const ids = fc.stringMatching(/^[A-Za-z0-9_-]{12,26}$/);
  const events = fc.record({
    workspace: ids,
    source: ids,
    messageId: fc.string({ unit: 'binary' }),
    seen: fc.maxSafeNat(),
    integrations: fc.option(fc.dictionary(fc.string(), fc.boolean(), { noNullPrototype: true })),
    digest: fc.string().map((text) => bodyDigest(text, '')),
    eventText: fc.json(),
  });
  fc.assert(
    fc.property(events, (event) => {
      const read = readAcceptedEvent(writeAcceptedEvent(event as AcceptedEvent));
      expect(read).toEqual(event);
    }),
  );
});

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

it.each([
  ['no choices', null],
  ['a choice', { All: false, posthog: true }],
])('carries the trace context of a sampled request beside %s', (_, integrations) => {
  const traced = { ...accepted, integrations, traceparent: TRACEPARENT };
  expect(readAcceptedEvent(writeAcceptedEvent(traced))).toEqual(traced);
});

const ACCEPTED_BY = { gateway: 'aB3_-90x', route: '/v1/webhooks/:key' };

it.each([
  ['nothing else', {}],
  ['a trace context', { traceparent: TRACEPARENT }],
  ['a choice', { integrations: { All: false, __proto__: true } }],
])('carries by whom it was accepted, beside %s', (_, members) => {
  const known = { ...accepted, ...members, acceptedBy: ACCEPTED_BY };
  expect(readAcceptedEvent(writeAcceptedEvent(known))).toEqual(known);
});

it.each(['', 'x', 'gateway', ' /v1/batch', 'gateway v1', `${'g'.repeat(33)} /v1/batch`, 'g /v1/ü'])(
  'leaves out an acceptance that is not valid: %s',
  (text) => {
    const head = headWith(5, { [`accepted=${text}`]: true });
    expect(readAcceptedEvent(message(head))).toEqual(accepted);
  },
);

it('keeps the form and the members of a head with a trace context, which earlier routers check', () => {
  const value = writeAcceptedEvent({ ...accepted, traceparent: TRACEPARENT });
  const head = JSON.parse(value.split('\n', 1)[0]!) as unknown[];
  expect(head.with(5, null)).toEqual(HEAD);
  expect(Object.values(head[5] as object)).toEqual([true]);
});

it('is not changed by an absent trace context', () => {
  expect(writeAcceptedEvent(accepted)).toBe(message(HEAD));
});

it.each(['', 'x', TRACEPARENT.toUpperCase(), `${TRACEPARENT}-01`, TRACEPARENT.slice(1)])(
  'leaves out a trace context that is not valid: %s',
  (traceparent) => {
    expect(
      readAcceptedEvent(message(headWith(5, { [`traceparent=${traceparent}`]: true }))),
    ).toEqual(accepted);
  },
);

it.each([
  ['workspace', 1, ['', 'short', 'x'.repeat(27), 'with space 01', 7, null, ['workspace000001']]],
  ['source', 2, ['', 'short', 'x'.repeat(27), 'source/0000001', 7, null, {}]],
  ['messageId', 3, [7, null, {}, ['m'], true]],
  ['seen', 4, [-1, 1.5, 2 ** 53, '12', null, {}, true]],
  ['integrations', 5, [true, 'All', 1, [], [true], { All: 1 }, { All: null }, { a: {} }]],
  ['digest', 6, ['', accepted.digest.slice(1), `${accepted.digest}A`, 'Ä'.repeat(16), 1, null]],
])('checks %s', (name, index, values) => {
  for (const value of values) {
    const error = failure(message(headWith(index, value)));
    expect(error.message).toBe(`its ${name} is not valid`);
    expect(error.newer).toBe(false);
  }
});

it.each([
  ['messageId', 3, ['', '\0', 'x'.repeat(300)]],
  ['seen', 4, [0, 2 ** 53 - 1]],
  ['integrations', 5, [{}, { All: false, webhook: true }]],
  ['workspace', 1, ['x'.repeat(12), 'x'.repeat(26)]],
])('takes every %s that there may be', (name, index, values) => {
  for (const value of values)
    expect(readAcceptedEvent(message(headWith(index, value)))).toMatchObject({ [name]: value });
});

it.each([
  ['', 'it has no head'],
  [JSON.stringify(HEAD), 'it has no head'],
  ['\n{}', 'its head is not JSON'],
  ['[1,\n{}', 'its head is not JSON'],
  ['null\n{}', 'its head is not an array'],
  ['{}\n{}', 'its head is not an array'],
  ['[]\n{}', 'its head names no form'],
  [message(headWith(0, 0)), 'its head names no form'],
  [message(headWith(0, 1.5)), 'its head names no form'],
  [message(headWith(0, '2')), 'its head names no form'],
  [message(HEAD.slice(0, 6)), 'its head has 6 members'],
  [message([...HEAD, 'more']), 'its head has 8 members'],
])('names the fault of %j', (value, reason) => {
  const error = failure(value);
  expect(error.message).toBe(reason);
  expect(error.newer).toBe(false);
});

it('recognises a newer form, whatever follows it', () => {
  const error = failure('[2,"workspace000001"]\nwhatever');
  expect(error.message).toBe('form 2 is newer than 1, the newest that this version reads');
  expect(error.newer).toBe(true);
});

it('never fails in another way', () => {
  const heads = fc.array(fc.jsonValue()).map((members) => JSON.stringify([1, ...members]));
  const values = fc.oneof(
    fc.string(),
    fc.tuple(heads, fc.string()).map((lines) => lines.join('\n')),
  );
  fc.assert(
    fc.property(values, (value) => {
      try {
        readAcceptedEvent(value);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableEvent);
      }
    }),
  );
});

describe('the order key', () => {
  it('is the source and the anonymous id, up to a length', () => {
    expect(orderKey('c', 'x'.repeat(200))).toBe(`c/${'x'.repeat(200)}`);
    expect(orderKey('c', 'x'.repeat(201))).toMatch(/^c\/#[A-Za-z0-9_-]{43}$/);
    expect(orderKey('c', 'a\0b')).toMatch(/^c\/#[A-Za-z0-9_-]{43}$/);
  });
});

it('digests in 16 characters that depend on where the times stood', () => {
  expect(bodyDigest('ab', 'c')).toMatch(/^[A-Za-z0-9_-]{16}$/);
  expect(bodyDigest('ab', 'c')).not.toBe(bodyDigest('a', 'bc'));
});
