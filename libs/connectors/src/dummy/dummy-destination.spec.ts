import { writeJson } from '@penstock/schema';
import { parseJson } from '@penstock/schema';
import { Pool } from 'pg';
import type { Settings } from '../connector/connector';
import type { SendContext } from '../connector/event-destination';
import { GuardedHttp, NoAnswer, NotWritten, type OutgoingRequest } from '../connector/guarded-http';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { answer, HttpStub } from '../http-stub.fixture';
import { aContext, anOutgoingEvent, aRecord } from '../outgoing-event.fixture';
import { NOT_SENT } from '../requests/not-sent';
import { dummyConnector } from './dummy-connector';
import { dummyDestination } from './dummy-destination';
import { DummyStore } from './dummy-store';

const store = new DummyStore(new Pool());
const destination = dummyDestination(store);

/** Asks whether a request may be written, and then fails. */
class NoWayOut extends GuardedHttp {
  override request({ mayWrite }: OutgoingRequest): Promise<never> {
    return Promise.reject(mayWrite?.() === false ? new NotWritten() : new NoAnswer('no way out'));
  }

  override download(): Promise<never> {
    return Promise.reject(new NoAnswer('no way out'));
  }

  override upload(): Promise<never> {
    return Promise.reject(new NoAnswer('no way out'));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

const settingsFrom = (plain: object): Settings =>
  dummyConnector(store).checkSettings(parseJson(JSON.stringify(plain)), 'Destination');

const schemaOf = (id: string) =>
  destination.eventTypes(new Map()).find((type) => type.id === id)?.schema ?? null;

const itemAdded = (n: number) =>
  anOutgoingEvent(n, {
    eventType: 'send_add_to_cart',
    values: aRecord({ email: 'a@example.com', itemName: 'Tea', itemId: 7 }),
    outSchema: schemaOf('send_add_to_cart'),
  });

describe('posting to a URL', () =>
  itKeepsTheDestinationPromises({
    destination,
    settings: (origin) => settingsFrom({ urlForDispatchingEvents: `${origin}/dummy` }),
    secrets: [],
    event: itemAdded,
  }));

describe('a request', () => {
  let stub: HttpStub;
  let http: GuardedHttp;

  beforeEach(async () => {
    stub = await HttpStub.start();
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  });

  afterEach(async () => {
    await stub.close();
    await http.close();
  });

  const send = (event = itemAdded(1), plain: object = {}) =>
    destination.send(
      [event],
      settingsFrom({ urlForDispatchingEvents: stub.origin, ...plain }),
      aContext(http),
    );

  it('carries the event type, who, when, and the values', async () => {
    await send();
    expect(stub.requests[0]).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': itemAdded(1).idempotencyKey,
      },
      body:
        '{"type":"send_add_to_cart","messageId":"message-1","anonymousId":"anonymous-1",' +
        '"timestamp":"2026-03-01T09:30:00.000Z",' +
        '"values":{"email":"a@example.com","itemName":"Tea","itemId":7}}',
    });
  });

  it('has the user of a known one, and no values where the event type has none', async () => {
    const plain = anOutgoingEvent(1, { eventType: 'send_event_with_no_schema' });
    await send({ ...plain, event: aRecord({ ...plain.event, userId: 'user-1' }) });
    const body = JSON.parse(stub.requests[0]?.body ?? '') as object;
    expect(body).toMatchObject({ userId: 'user-1' });
    expect(body).not.toHaveProperty('values');
  });

  it.each([
    [201, 'delivered'],
    [203, 'rejected'],
    [206, 'rejected'],
  ])('answered with %d is %s', async (status, kind) => {
    stub.next(answer(status));
    expect(await send()).toMatchObject([{ kind }]);
  });

  it('is answered late when the settings delay it', async () => {
    const before = performance.now();
    expect(await send(itemAdded(1), { operationDelay: '100ms-200ms' })).toMatchObject([
      { kind: 'delivered' },
    ]);
    expect(performance.now() - before).toBeGreaterThanOrEqual(95);
  });

  it('is given up while it waits for a late answer', async () => {
    const settings = settingsFrom({
      urlForDispatchingEvents: stub.origin,
      operationDelay: '24h',
    });
    const context = aContext(http, AbortSignal.timeout(100));
    expect(await destination.send([itemAdded(1)], settings, context)).toEqual([
      { kind: 'unavailable', reason: 'request was given up' },
    ]);
  });
});

describe('what waits for a late answer', () => {
  const send = (context: Partial<SendContext>) =>
    destination.send(
      [itemAdded(1)],
      settingsFrom({ urlForDispatchingEvents: 'http://127.0.0.1:9', operationDelay: '24h' }),
      { ...aContext(new NoWayOut()), ...context },
    );

  it('has the time of its context', async () => {
    expect(await send({ timeoutMs: 20 })).toEqual([
      { kind: 'unavailable', reason: 'no answer within 0.02 s' },
    ]);
  });

  it('waits for nothing when it was not sent', async () => {
    const answers = [true, false];
    for (const mayWrite of [() => false, () => answers.shift() ?? false])
      expect(await send({ mayWrite })).toMatchObject([{ notSent: true }]);
  });
});

it('stores nothing when mayWrite returns false', async () => {
  const context = { ...aContext(new NoWayOut()), mayWrite: () => false };
  expect(await destination.send([itemAdded(1), itemAdded(2)], settingsFrom({}), context)).toEqual([
    NOT_SENT,
    NOT_SENT,
  ]);
});

describe('limits', () => {
  it('with a URL are 100 requests a second, one event each', () => {
    expect(
      destination.limits(settingsFrom({ urlForDispatchingEvents: 'http://example.com' })),
    ).toEqual({ maxEvents: 1, concurrency: 50, ratePerSecond: 100, burst: 100 });
  });

  it('without a URL know no rate and keep many events at once', () => {
    expect(destination.limits(settingsFrom({}))).toEqual({ maxEvents: 500, concurrency: 50 });
  });

  it('with failures are one event a call, so that calls can be counted', () => {
    const failures = [{ operation: 'send', at: 1, times: 1, status: 500 }];
    expect(destination.limits(settingsFrom({ failures }))).toMatchObject({ maxEvents: 1 });
  });
});

it('has the event types of its specification', () => {
  const types = destination.eventTypes(new Map());
  expect(
    types.map(({ id, defaultFilter, schema }) => [id, writeJson(defaultFilter), schema !== null]),
  ).toEqual([
    [
      'send_add_to_cart',
      '{"logical":"and","conditions":[' +
        '{"property":"type","operator":"is","values":["track"]},' +
        '{"property":"event","operator":"is","values":["Add to Cart"]}]}',
      true,
    ],
    ['send_custom_event', 'null', true],
    [
      'send_identity',
      '{"logical":"and","conditions":[{"property":"type","operator":"is","values":["identify"]}]}',
      true,
    ],
    ['send_generic_event', 'null', true],
    ['send_event_with_no_schema', 'null', false],
  ]);
});

it.each([
  [
    'send_add_to_cart',
    ['email traits.email required', 'itemName properties.item_name', 'itemId properties.item_id'],
  ],
  ['send_custom_event', ['email']],
  ['send_identity', ['email traits.email required', 'traits']],
  ['send_generic_event', ['properties']],
])('%s has the properties %j', (id, expected) => {
  const shown = schemaOf(id)?.properties.map(({ name, prefilled, createRequired }) =>
    [name, prefilled, createRequired ? 'required' : ''].filter(Boolean).join(' '),
  );
  expect(shown).toEqual(expected);
});

it('previews what would be posted when there is nowhere to post to', () => {
  expect(destination.preview(itemAdded(1), settingsFrom({})).split('\n')[0]).toBe(
    'POST (kept, not sent)',
  );
});
