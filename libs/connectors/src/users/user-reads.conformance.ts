import type { Settings } from '../connector/connector';
import type { CallContext } from '../connector/call-context';
import type { GuardedHttp } from '../connector/guarded-http';
import type { Answer as Read } from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import {
  type Answer,
  answer,
  HttpStub,
  rawAnswer,
  type ReceivedRequest,
} from '../http-stub.fixture';
import { aContext } from '../outgoing-event.fixture';

export interface UserReadsUnderTest {
  /** Settings that send to the stub; each a new object. */
  settings(origin: string): Settings;
  readonly secrets: readonly string[];
  /** Settings with a credential that the {@link vendor} does not know. */
  strangers(origin: string): Settings;
  vendor(): Answer;
  /** Something that is read with requests: a schema, a page of users, a look-up. */
  read(settings: Settings, context: CallContext): Promise<Read<unknown>>;
}

const STATUSES: readonly (readonly [number, Read<unknown>['kind']])[] = [
  [302, 'rejected'],
  [400, 'rejected'],
  [401, 'unavailable'],
  [403, 'unavailable'],
  [404, 'rejected'],
  [408, 'unavailable'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [503, 'unavailable'],
];

/** Whatever is read of an application's users with requests keeps these. */
export const itKeepsThePromisesOfUserReads = ({
  settings: settingsFor,
  secrets,
  strangers,
  vendor,
  read,
}: UserReadsUnderTest): void => {
  let stub: HttpStub;
  let http: GuardedHttp;

  beforeEach(async () => {
    stub = await HttpStub.start();
    stub.always(vendor());
    http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  });

  afterEach(async () => {
    await stub.close();
    await http.close();
  });

  const readOnce = (context: Partial<CallContext> = {}) =>
    read(settingsFor(stub.origin), { ...aContext(http), ...context });

  it('names its sender', async () => {
    expect(await readOnce()).toMatchObject({ kind: 'answered' });
    for (const { headers } of stub.requests) expect(headers['user-agent']).toMatch(/^penstock\/\d/);
  });

  it('is unavailable with a credential that the application does not know', async () => {
    const answered = await read(strangers(stub.origin), aContext(http));
    expect(answered).toMatchObject({ kind: 'unavailable', status: 401 });
  });

  it.each(STATUSES)('an answer of %d means %s', async (status, kind) => {
    stub.next(answer(status));
    expect(await readOnce()).toMatchObject({ kind, status });
  });

  it('passes on the delay of Retry-After', async () => {
    stub.next(answer(429, '', { 'Retry-After': '7' }), answer(429));
    expect(await readOnce()).toMatchObject({ kind: 'unavailable', retryAfterMs: 7_000 });
    expect(await readOnce()).not.toHaveProperty('retryAfterMs');
  });

  it('reads at the next attempt what failed before', async () => {
    stub.next(answer(500));
    expect(await readOnce()).toMatchObject({ kind: 'unavailable' });
    expect(await readOnce()).toMatchObject({ kind: 'answered' });
  });

  it('is unavailable when its caller has waited long enough', async () => {
    stub.always(() => undefined);
    const signal = AbortSignal.timeout(100);
    expect(await readOnce({ signal })).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['garbage', rawAnswer('this is not HTTP\r\n\r\n')],
    ['a body that ends too early', rawAnswer('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{')],
    ['nothing', rawAnswer('')],
    ['a reset', (response) => response.socket?.resetAndDestroy()],
    ['an empty body', answer(200)],
    ['no JSON', answer(200, '<html>')],
    ['a list', answer(200, '[]')],
    ['an empty object', answer(200, '{}')],
    ['members of other types', answer(200, '{"results":7,"data":7,"members":7,"contacts":7}')],
    ['null', answer(200, 'null')],
  ])('is unavailable when the answer is %s', async (_, given) => {
    stub.next(given);
    expect(await readOnce()).toMatchObject({ kind: 'unavailable' });
  });

  it.each([400, 503])('shows no secret when an answer of %d repeats it', async (status) => {
    for (const part of [
      () => secrets.join(' '),
      ({ headers }: ReceivedRequest) => JSON.stringify(headers),
      ({ url }: ReceivedRequest) => url,
    ]) {
      stub.next((response, request) => response.writeHead(status).end(part(request)));
      const answered = JSON.stringify(await readOnce());
      for (const secret of secrets) expect(answered).not.toContain(secret);
    }
  });
};
