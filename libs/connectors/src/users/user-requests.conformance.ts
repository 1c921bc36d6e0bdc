import type { Schema } from '@penstock/schema';
import type { Settings } from '../connector/connector';
import type { SendContext } from '../connector/event-destination';
import type { GuardedHttp } from '../connector/guarded-http';
import type {
  OutgoingUser,
  UpsertFailure,
  UpsertResult,
  UserDestination,
} from '../connector/user-destination';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import {
  type Answer,
  answer,
  HttpStub,
  rawAnswer,
  type ReceivedRequest,
} from '../http-stub.fixture';
import { aContext } from '../outgoing-event.fixture';
import { itKeepsTheUserDestinationPromises } from './user-destination.conformance';
import type { UserDestinationUnderTest } from './user-destination.conformance';

export interface UserRequestsUnderTest extends Omit<
  UserDestinationUnderTest,
  'settings' | 'destination'
> {
  readonly destination: UserDestination;
  /** Settings that send to the stub. */
  settings(origin: string): Settings;
  readonly secrets: readonly string[];
  readonly schema: Schema;
  /** A vendor without users; it answers creating, changing and looking up as it is documented. */
  vendor(): Answer;
  user(n: number, id?: string): OutgoingUser;
}

type Fate = readonly [status: number, kind: UpsertFailure['kind'], executed: string];

const WHOLE_REQUEST: readonly Fate[] = [
  [401, 'unavailable', 'no'],
  [403, 'unavailable', 'no'],
  [408, 'unavailable', 'unknown'],
  [429, 'unavailable', 'no'],
  [500, 'unavailable', 'unknown'],
  [502, 'unavailable', 'unknown'],
  [503, 'unavailable', 'unknown'],
];

/** Every destination of users that sends requests runs these, and those of every destination of users. */
export const itKeepsThePromisesOfUserRequests = (subject: UserRequestsUnderTest): void => {
  const { destination, settings: settingsFor, secrets, schema, user, vendor } = subject;
  let stub: HttpStub;
  let http: GuardedHttp;
  let settings: Settings;

  beforeEach(async () => {
    stub = await HttpStub.start();
    stub.always(vendor());
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    settings = settingsFor(stub.origin);
  });

  afterEach(async () => {
    await stub.close();
    await http.close();
  });

  itKeepsTheUserDestinationPromises({ ...subject, settings: () => settings });

  /** The schema may have to be read first: what comes next is then the answer to the write. */
  const ready = async (): Promise<void> => {
    await destination.schema(settings, aContext(http));
    stub.requests.length = 0;
  };

  const send = (context: Partial<SendContext> = {}, to = settings): Promise<UpsertResult> =>
    destination.upsert({ schema, users: [user(1)] }, to, { ...aContext(http), ...context });

  const upsert = async (context?: Partial<SendContext>): Promise<UpsertResult> => {
    await ready();
    return send(context);
  };

  /** What becomes of a user when the write is answered like this. */
  const upsertAnswered = async (given: Answer): Promise<UpsertResult> => {
    await ready();
    stub.next(given);
    return send();
  };

  it('sends one request that names its sender and has an idempotency key', async () => {
    expect(await upsert()).toMatchObject({ kind: 'answered' });
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]?.headers['user-agent']).toMatch(/^penstock\/\d/);
    const key = stub.requests[0]?.headers['idempotency-key'];
    expect(key).toEqual(expect.any(String));
    await upsert();
    expect(stub.requests[0]?.headers['idempotency-key']).toBe(key);
  });

  it('sends one request, however many users there are', async () => {
    await ready();
    const users = Array.from({ length: destination.limits(settings).maxUsers + 1 }, (_, n) =>
      user(n + 1),
    );
    await destination.upsert({ schema, users }, settings, aContext(http));
    expect(stub.requests).toHaveLength(1);
  });

  it.each(WHOLE_REQUEST)('an answer of %d is %s, executed: %s', async (status, kind, executed) => {
    const result = await upsertAnswered(answer(status));
    expect(result).toMatchObject({ kind, executed, status, taken: 1 });
  });

  it.each([302, 400, 404, 422])('an answer of %d rejects the user', async (status) => {
    const result = await upsertAnswered(answer(status));
    if (result.kind === 'answered') expect(result.outcomes).toMatchObject([{ kind: 'rejected' }]);
    else expect(result).toMatchObject({ kind: 'rejected', executed: 'no', status });
  });

  it('passes on the delay of Retry-After', async () => {
    const late = answer(429, '', { 'Retry-After': '7' });
    expect(await upsertAnswered(late)).toMatchObject({ retryAfterMs: 7_000 });
    expect(await upsertAnswered(answer(429))).not.toHaveProperty('retryAfterMs');
  });

  it('writes at the next attempt what failed before', async () => {
    expect(await upsertAnswered(answer(500))).toMatchObject({ kind: 'unavailable' });
    expect(await upsert()).toMatchObject({ kind: 'answered', outcomes: [{ kind: 'written' }] });
  });

  it('is in doubt when no answer comes in the time of its context', async () => {
    await ready();
    stub.always(() => undefined);
    expect(await send({ timeoutMs: 100 })).toMatchObject({
      kind: 'unavailable',
      reason: 'no answer within 0.1 s',
      executed: 'unknown',
    });
  });

  it('is in doubt when the connection is reset, or the answer cut off', async () => {
    const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{';
    for (const broken of [
      rawAnswer(cut),
      rawAnswer('this is not HTTP\r\n\r\n'),
      ((response) => response.socket?.resetAndDestroy()) as Answer,
    ])
      expect(await upsertAnswered(broken)).toMatchObject({
        kind: 'unavailable',
        executed: 'unknown',
      });
  });

  it('was surely not executed when there was no connection', async () => {
    await ready();
    const closed = await HttpStub.start();
    const nowhere = settingsFor(closed.origin);
    await closed.close();
    expect(await send({}, nowhere)).toMatchObject({ kind: 'unavailable', executed: 'no' });
  });

  it.each(['', 'OK', '[]', '{}', '{"results":7}'])(
    'was executed when the answer is 200 with the body %j',
    async (body) => {
      const result = await upsertAnswered(answer(200, body));
      if (result.kind !== 'answered') expect(result).toMatchObject({ executed: 'yes' });
      else expect(result.outcomes).toMatchObject([{ kind: 'written' }]);
    },
  );

  it('keeps the reason short, however long the answer', async () => {
    const result = await upsertAnswered(answer(400, 'x'.repeat(2 * 1_048_576)));
    expect(JSON.stringify(result).length).toBeLessThan(500);
  });

  it.each([400, 503])('shows no secret when an answer of %d repeats it', async (status) => {
    for (const part of [
      () => secrets.join(' '),
      () => JSON.stringify({ message: secrets.join(' ') }),
      () => JSON.stringify({ error: { message: secrets.join(' ') } }),
      ({ headers }: ReceivedRequest) => JSON.stringify(headers),
    ]) {
      const result = await upsertAnswered((response, request) =>
        response.writeHead(status).end(part(request)),
      );
      for (const secret of secrets) expect(JSON.stringify(result)).not.toContain(secret);
    }
  });

  it('is unavailable once the sender stops waiting', async () => {
    await ready();
    const controller = new AbortController();
    stub.always(() => controller.abort());
    expect(await send({ signal: controller.signal })).toMatchObject({ kind: 'unavailable' });
  });
};
