import { createHmac } from 'node:crypto';
import { JsonText, parseJson } from '@penstock/schema';
import type { Settings } from '../connector/connector';
import type { OutgoingEvent } from '../connector/event-destination';
import type { GuardedHttp } from '../connector/guarded-http';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { HttpStub } from '../http-stub.fixture';
import { aContext, anOutgoingEvent, aRecord } from '../outgoing-event.fixture';
import { httpConnector } from './http-connector';
import { httpDestination } from './http-destination';

const settingsFrom = (plain: object): Settings =>
  httpConnector.checkSettings(parseJson(JSON.stringify(plain)), 'Destination');

const anEvent = (n: number): OutgoingEvent => anOutgoingEvent(n, { eventType: 'send_event' });

const values = (n: number, json: string): OutgoingEvent =>
  anOutgoingEvent(n, {
    eventType: 'send_values',
    values: aRecord({ properties: JsonText.of(parseJson(json)) }),
    outSchema: httpDestination.eventTypes(new Map())[1]?.schema ?? null,
  });

/** With what JSON and URLs write otherwise. */
const SECRET_HEADER = 'secret "header" \\ value/+1';
const SECRET_TOKEN = 'secret"bearer/token+1';

const HEADERS = [
  { name: 'X-Tenant', value: 'acme' },
  { name: 'X-Key', value: SECRET_HEADER, secret: true },
];

describe('with a bearer token and a signature', () =>
  itKeepsTheDestinationPromises({
    destination: httpDestination,
    settings: (origin) =>
      settingsFrom({
        url: `${origin}/events?source=penstock`,
        headers: HEADERS,
        auth: { type: 'bearer', token: SECRET_TOKEN },
        signingSecret: 'secret-signing-secret',
      }),
    secrets: [SECRET_TOKEN, SECRET_HEADER, 'secret-signing-secret'],
    event: anEvent,
  }));

describe('with basic authentication and batches', () =>
  itKeepsTheDestinationPromises({
    destination: httpDestination,
    settings: (origin) =>
      settingsFrom({
        url: origin,
        method: 'PUT',
        headers: HEADERS,
        auth: { type: 'basic', username: 'penstock', password: 'secret-password' },
        batchSize: 3,
      }),
    secrets: [
      'secret-password',
      SECRET_HEADER,
      Buffer.from('penstock:secret-password').toString('base64'),
    ],
    event: anEvent,
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

  const send = (events: readonly OutgoingEvent[], plain: object = {}) =>
    httpDestination.send(events, settingsFrom({ url: stub.origin, ...plain }), aContext(http));

  const bodies = () => stub.requests.map(({ body }) => body);

  it.each(['POST', 'PUT', 'PATCH'])('is made with the method %s', async (method) => {
    await send([anEvent(1)], { method });
    expect(stub.requests[0]?.method).toBe(method);
  });

  it('carries the event as it stands in the log', async () => {
    await send([anEvent(1)]);
    expect(bodies()).toEqual([anEvent(1).eventText]);
    expect(stub.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it.each(['{"b":1.50,"a":12345678901234567890}', '"text"', 'null', '[1,{}]', '1e400'])(
    'carries the values %s to the last digit',
    async (json) => {
      await send([values(1, json)]);
      expect(bodies()).toEqual([json]);
    },
  );

  it('with batches is an array in order, of one event too', async () => {
    await send([values(1, '1'), values(2, '2'), values(3, '3')], { batchSize: 2 });
    await send([values(3, '3')], { batchSize: 2 });
    expect(bodies()).toEqual(['[1,2]', '[3]']);
  });

  it('takes fewer events when they are large, but always one', async () => {
    const large = values(1, JSON.stringify('x'.repeat(3_000_000)));
    expect(await send([large, large], { batchSize: 2 })).toHaveLength(1);
    const huge = values(1, JSON.stringify('x'.repeat(5_000_000)));
    expect(await send([huge, large], { batchSize: 2 })).toHaveLength(1);
  });

  it('has the key of its event, or one that only the same batch has', async () => {
    await send([anEvent(1)]);
    await send([anEvent(1), anEvent(2)], { batchSize: 2 });
    await send([anEvent(1), anEvent(2)], { batchSize: 2 });
    await send([anEvent(2), anEvent(1)], { batchSize: 2 });
    const [single, batch, again, other] = stub.requests.map(
      ({ headers }) => headers['idempotency-key'],
    );
    expect(single).toBe(anEvent(1).idempotencyKey);
    expect(batch).toMatch(/^[\w-]{32}$/);
    expect(again).toBe(batch);
    expect(other).not.toBe(batch);
  });

  it('is signed over time and body', async () => {
    const signingSecret = 'a signing secret';
    await send([anEvent(1)], { signingSecret });
    const [sent] = stub.requests;
    const [, time = '', hash] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(sent?.headers['penstock-signature'])) ?? [];
    expect(Math.abs(Date.now() / 1_000 - Number(time))).toBeLessThan(60);
    expect(hash).toBe(
      createHmac('sha256', signingSecret)
        .update(`${time}.${sent?.body ?? ''}`)
        .digest('hex'),
    );
  });

  it('authenticates and carries the own headers, the content type among them', async () => {
    await send([anEvent(1)], {
      auth: { type: 'basic', username: 'Aladdin', password: 'open sesame' },
      headers: [{ name: 'content-type', value: 'application/cloudevents+json' }],
    });
    expect(stub.requests[0]?.headers).toMatchObject({
      authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
      'content-type': 'application/cloudevents+json',
    });
  });
});

it('shows no value of the query of its URL that may be a secret, when an answer repeats it', async () => {
  const stub = await HttpStub.start();
  const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  const url = `${stub.origin}/in?source=shop&key=12345678&short=1234567&code=a%2Fb%3Dsecret`;
  stub.always((response, request) => response.writeHead(400).end(`no ${request.url}`));
  try {
    const [outcome] = await httpDestination.send(
      [anEvent(1)],
      settingsFrom({ url }),
      aContext(http),
    );
    expect(outcome).toMatchObject({
      reason: 'answered 400: no /in?source=shop&key=••••&short=1234567&code=••••',
    });
  } finally {
    await http.close();
    await stub.close();
  }
});

describe('limits', () => {
  it('are those of the settings', () => {
    const settings = settingsFrom({ url: 'https://example.com', batchSize: 7, rate: 20 });
    expect(httpDestination.limits(settings)).toEqual({
      maxEvents: 7,
      concurrency: 50,
      ratePerSecond: 20,
    });
  });

  it('know no rate by default', () => {
    const limits = httpDestination.limits(settingsFrom({ url: 'https://example.com' }));
    expect(limits).toEqual({ maxEvents: 1, concurrency: 50 });
  });
});

it('previews secrets by their last four characters', () => {
  const settings = settingsFrom({
    url: 'https://example.com/in',
    headers: [{ name: 'X-Key', value: 'secret-1234', secret: true }],
    auth: { type: 'bearer', token: 'token-5678' },
    signingSecret: '0123456789abcdef',
  });
  expect(httpDestination.preview(anEvent(1), settings).split('\n')).toEqual([
    'POST https://example.com/in',
    expect.stringMatching(/^User-Agent: penstock\/\d+\.\d+\.\d+$/),
    'Content-Type: application/json',
    'Authorization: Bearer ••••5678',
    'X-Key: ••••1234',
    `Idempotency-Key: ${anEvent(1).idempotencyKey}`,
    'Penstock-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256>',
    '',
    anEvent(1).eventText,
  ]);
});

it('throws on an event type that it does not have', () => {
  const event = anOutgoingEvent(1, { eventType: 'send_nothing' });
  const settings = settingsFrom({ url: 'https://example.com' });
  expect(() => httpDestination.preview(event, settings)).toThrow(TypeError);
});
