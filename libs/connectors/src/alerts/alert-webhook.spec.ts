import { createHmac } from 'node:crypto';
import { Invalid, parseJson } from '@penstock/schema';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import type { GuardedHttp } from '../connector/guarded-http';
import { HttpStub } from '../http-stub.fixture';
import { ALERT_WEBHOOK, sendAlertNotification } from './alert-webhook';

const SECRET = 'a signing secret';
const NOTIFICATION = { idempotencyKey: 'notification-1', body: '{"change":"Began"}' };

const checked = (plain: object) =>
  ALERT_WEBHOOK.checkSettings(parseJson(JSON.stringify(plain)), 'Destination');

const pathsOf = (plain: object): string[] => {
  try {
    checked(plain);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues.map(({ path }) => path);
    throw error;
  }
};

it.each<[object, string[]]>([
  [{ url: 'https://example.com', signingSecret: 'x'.repeat(16) }, []],
  [{ url: 'https://example.com', signingSecret: 'x'.repeat(255) }, []],
  [{ url: 'https://example.com', signingSecret: 'x'.repeat(15) }, ['/signingSecret']],
  [{ url: 'https://example.com', signingSecret: 'x'.repeat(256) }, ['/signingSecret']],
  [{ url: 'https://example.com' }, ['/signingSecret']],
  [{ url: 'ftp://example.com', signingSecret: SECRET }, ['/url']],
  [{ url: 'https://ada@example.com', signingSecret: SECRET }, ['/url']],
  [{ signingSecret: SECRET, more: 1 }, ['/url', '/more']],
])('%j has problems at %j', (plain, paths) => {
  expect(pathsOf(plain).sort()).toEqual([...paths].sort());
});

describe('a notification', () => {
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

  const sent = (through: GuardedHttp = http) =>
    sendAlertNotification(
      NOTIFICATION,
      checked({ url: `${stub.origin}/hook`, signingSecret: SECRET }),
      through,
      AbortSignal.timeout(10_000),
    );

  it('is posted with its key and is signed over time and body', async () => {
    expect(await sent()).toEqual({ outcome: { kind: 'delivered', status: 200 }, status: 200 });
    const [request] = stub.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/hook', body: NOTIFICATION.body });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'notification-1',
    });
    const [, time = '', hash] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request?.headers['penstock-signature'])) ?? [];
    expect(Math.abs(Date.now() / 1_000 - Number(time))).toBeLessThan(60);
    const expected = createHmac('sha256', SECRET).update(`${time}.${NOTIFICATION.body}`);
    expect(hash).toBe(expected.digest('hex'));
  });

  it.each([
    [404, 'rejected'],
    [401, 'unavailable'],
    [500, 'unavailable'],
  ])('that is answered %d is %s, without the secret', async (status, kind) => {
    stub.always((response) => response.writeHead(status).end(`no ${SECRET}`));
    const { outcome, status: answered } = await sent();
    expect(answered).toBe(status);
    expect(outcome).toMatchObject({ kind, reason: `answered ${String(status)}: no ••••` });
  });

  it('is not sent to an address that the operator has not allowed', async () => {
    const guarded = createGuardedHttp({ allow: [] });
    try {
      expect(await sent(guarded)).toMatchObject({ outcome: { kind: 'unavailable' }, status: null });
      expect(stub.requests).toEqual([]);
    } finally {
      await guarded.close();
    }
  });
});
