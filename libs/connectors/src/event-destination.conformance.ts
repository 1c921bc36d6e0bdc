import { mask } from '@penstock/settings';
import type { Settings } from './connector/connector';
import type { EventDestination, Outcome, OutgoingEvent } from './connector/event-destination';
import type { GuardedHttp } from './connector/guarded-http';
import { createGuardedHttp } from './egress/undici-guarded-http';
import {
  type Answer,
  answer,
  HttpStub,
  rawAnswer,
  type ReceivedRequest,
} from './http-stub.fixture';
import { aContext } from './outgoing-event.fixture';

export interface DestinationUnderTest {
  readonly destination: EventDestination;
  /** Settings that send to the stub, with as many secrets in them as there can be. */
  settings(origin: string): Settings;
  readonly secrets: readonly string[];
  /** The n-th sample. */
  event(n: number): OutgoingEvent;
  /** What the application answers to a good request, and to a bad one; absent: 200 to each. */
  vendor?(): Answer;
  /** Settings with a credential that {@link vendor} does not know. */
  strangers?(origin: string): Settings;
}

const like = (members: object): unknown => expect.objectContaining(members);

/** Added by Node's server, or on the way. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length']);

const STATUSES: readonly (readonly [number, Outcome['kind']])[] = [
  [200, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [302, 'rejected'],
  [400, 'rejected'],
  [401, 'unavailable'],
  [403, 'unavailable'],
  [404, 'rejected'],
  [408, 'unavailable'],
  [413, 'rejected'],
  [422, 'rejected'],
  [425, 'unavailable'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
];

/** Every destination of events runs these. */
export const itKeepsTheDestinationPromises = ({
  destination,
  settings: settingsFor,
  secrets,
  event,
  vendor,
  strangers,
}: DestinationUnderTest): void => {
  let stub: HttpStub;
  let http: GuardedHttp;
  let settings: Settings;

  beforeEach(async () => {
    stub = await HttpStub.start();
    if (vendor !== undefined) stub.always(vendor());
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    settings = settingsFor(stub.origin);
  });

  afterEach(async () => {
    await stub.close();
    await http.close();
  });

  const send = (events: readonly OutgoingEvent[], context = aContext(http)) =>
    destination.send(events, settings, context);

  const sendOne = async (context = aContext(http)): Promise<Outcome> => {
    const [outcome] = await send([event(1)], context);
    if (outcome === undefined) throw new Error('an event was taken without an outcome');
    return outcome;
  };

  it('has event types with ids of their own, 1 to 100 characters long', () => {
    const ids = destination.eventTypes(settings).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^.{1,100}$/);
  });

  it('takes at least one event a request and has at least one request in flight', () => {
    const { maxEvents, concurrency } = destination.limits(settings);
    expect(maxEvents).toBeGreaterThanOrEqual(1);
    expect(concurrency).toBeGreaterThanOrEqual(1);
  });

  it('delivers an event with one request that names its sender', async () => {
    expect(await sendOne()).toMatchObject({ kind: 'delivered' });
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]?.headers['user-agent']).toMatch(/^penstock\/\d/);
  });

  it('takes no more events than its limit, each with an outcome, in one request', async () => {
    const { maxEvents } = destination.limits(settings);
    const events = Array.from({ length: maxEvents + 1 }, (_, n) => event(n));
    const outcomes = await send(events);
    expect(outcomes.length).toBeGreaterThanOrEqual(1);
    expect(outcomes.length).toBeLessThanOrEqual(maxEvents);
    expect(outcomes).toMatchObject(outcomes.map(() => ({ kind: 'delivered' })));
    expect(stub.requests).toHaveLength(1);
  });

  it('sends the same idempotency key with every attempt, and another with another event', async () => {
    await sendOne();
    await sendOne();
    await send([event(2)]);
    const [first, again, other] = stub.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toEqual(expect.any(String));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(STATUSES)('an answer of %d means %s', async (status, kind) => {
    stub.next(answer(status));
    const outcome = await sendOne();
    expect(outcome.kind).toBe(kind);
    if (outcome.kind !== 'delivered') expect(outcome.status).toBe(status);
  });

  if (strangers !== undefined)
    it('is unavailable with a credential that the application does not know', async () => {
      const outcomes = await destination.send([event(1)], strangers(stub.origin), aContext(http));
      expect(outcomes).toMatchObject([{ kind: 'unavailable', status: 401 }]);
    });

  it('passes on the delay of Retry-After', async () => {
    stub.next(answer(429, '', { 'Retry-After': '7' }), answer(429));
    expect(await sendOne()).toMatchObject({ kind: 'unavailable', retryAfterMs: 7_000 });
    expect(await sendOne()).not.toHaveProperty('retryAfterMs');
  });

  it('delivers at the next attempt what failed before', async () => {
    stub.next(answer(500));
    expect(await sendOne()).toMatchObject({ kind: 'unavailable' });
    expect(await sendOne()).toMatchObject({ kind: 'delivered' });
  });

  it('is unavailable when no answer comes in the time of its context', async () => {
    stub.always(() => undefined);
    const outcome = await sendOne({ ...aContext(http), timeoutMs: 100 });
    expect(outcome).toEqual({ kind: 'unavailable', reason: 'no answer within 0.1 s' });
  });

  it('writes nothing when mayWrite returns false, and reports it', async () => {
    const events = [event(1), event(2)];
    const outcomes = await send(events, { ...aContext(http), mayWrite: () => false });
    expect(outcomes.length).toBeGreaterThanOrEqual(1);
    expect(outcomes).toEqual(outcomes.map(() => like({ kind: 'unavailable', notSent: true })));
    expect(stub.requests).toHaveLength(0);
    expect(await send(events, { ...aContext(http), mayWrite: () => true })).toContainEqual(
      like({ kind: 'delivered' }),
    );
  });

  it('does not report as unsent what may have been written', async () => {
    stub.next((response) => response.socket?.resetAndDestroy());
    expect(await sendOne({ ...aContext(http), mayWrite: () => true })).not.toHaveProperty(
      'notSent',
    );
  });

  it('is unavailable once the sender stops waiting', async () => {
    const controller = new AbortController();
    stub.always(() => controller.abort());
    expect(await sendOne(aContext(http, controller.signal))).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['garbage', 'this is not HTTP\r\n\r\n'],
    ['a body that ends too early', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'],
    ['nothing', ''],
  ])('is unavailable when the answer is %s', async (_, bytes) => {
    stub.next(rawAnswer(bytes));
    expect(await sendOne()).toMatchObject({ kind: 'unavailable' });
  });

  it('is unavailable when the connection is reset', async () => {
    stub.next((response) => response.socket?.resetAndDestroy());
    expect(await sendOne()).toMatchObject({ kind: 'unavailable' });
  });

  it('keeps the reason short, however long the answer', async () => {
    stub.next(answer(400, 'x'.repeat(2 * 1_048_576)));
    const outcome = await sendOne();
    expect(outcome).toMatchObject({ kind: 'rejected', status: 400 });
    expect(JSON.stringify(outcome).length).toBeLessThan(400);
  });

  it.each([400, 503])(
    'shows no secret when an answer of %d repeats the request',
    async (status) => {
      for (const part of [
        () => secrets.join(' '),
        () => JSON.stringify(secrets),
        ({ headers }: ReceivedRequest) => String(headers.authorization),
        ({ headers }: ReceivedRequest) => JSON.stringify(headers),
        ({ url }: ReceivedRequest) => url,
        ({ body }: ReceivedRequest) => body,
      ]) {
        stub.next((response, request) => response.writeHead(status).end(part(request)));
        expectNoSecret(reasonOf(await sendOne()));
      }
    },
  );

  it('shows no secret when there is no answer', async () => {
    stub.next((response) => response.socket?.resetAndDestroy());
    expectNoSecret(reasonOf(await sendOne()));
  });

  it('previews the request that it sends, without secrets', async () => {
    const preview = destination.preview(event(1), settings);
    expect(stub.requests).toHaveLength(0);
    expectNoSecret(preview);
    await sendOne();
    const [sent] = stub.requests;
    const shown = readPreview(preview);
    expect(shown.line).toBe(`${sent?.method ?? ''} ${stub.origin}${masked(sent?.url ?? '')}`);
    expect(shown.body).toBe(masked(sent?.body ?? ''));
    const names = Object.keys(sent?.headers ?? {}).filter((name) => !OF_THE_CONNECTION.has(name));
    expect([...shown.headers.keys()].sort()).toEqual(names.sort());
    for (const [name, value] of shown.headers)
      if (!/[•<]/.test(value)) expect(sent?.headers[name]).toBe(value);
  });

  const masked = (text: string): string =>
    secrets.reduce((left, secret) => left.replaceAll(secret, mask(secret)), text);

  const expectNoSecret = (text: string): void => {
    for (const secret of secrets)
      for (const written of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ])
        expect(text).not.toContain(written);
  };
};

const reasonOf = (outcome: Outcome): string => {
  if (outcome.kind === 'delivered') throw new Error('was delivered');
  return outcome.reason;
};

const readPreview = (preview: string) => {
  const end = preview.indexOf('\n\n');
  const [line, ...headers] = preview.slice(0, end).split('\n');
  const pairs = headers.map((header): [string, string] => {
    const colon = header.indexOf(': ');
    return [header.slice(0, colon).toLowerCase(), header.slice(colon + 2)];
  });
  return { line, headers: new Map(pairs), body: preview.slice(end + 2) };
};
