import { gzipSync } from 'node:zlib';
import { TOPIC } from '@penstock/contracts';
import { newWriteKey } from '@penstock/runtime';
import { send } from '../testing/http.fixture';
import { source } from '../testing/installation.fixture';
import { IntakeStand } from '../testing/intake.fixture';
import { RawRequest } from '../testing/raw-request.fixture';
import { until } from '../testing/until.fixture';
import type { IntakeLimits } from './intake-limits';

const server = source('nodejs');
const PAGE = '{"type":"page","userId":"u"}';
const keyed = (key = server.key) => `Authorization: Bearer ${key}`;

const stands: IntakeStand[] = [];
const requests: RawRequest[] = [];
afterEach(async () => {
  for (const request of requests.splice(0)) request.destroy();
  for (const stand of stands.splice(0)) await stand.stop();
});

const standWith = async (limits: Partial<IntakeLimits> = {}): Promise<IntakeStand> => {
  const stand = new IntakeStand({ limits });
  stands.push(stand);
  stand.configure(server.state);
  await stand.start();
  return stand;
};

const begin = async (stand: IntakeStand, ...head: string[]): Promise<RawRequest> => {
  const request = await RawRequest.begin(stand.port, '/v1/events', head);
  requests.push(request);
  return request;
};

const post = (stand: IntakeStand, body: string | Buffer, more: Record<string, string> = {}) =>
  send(stand.url('/v1/events'), {
    headers: { Authorization: `Bearer ${server.key}`, ...more },
    body,
  });

const count = (stand: IntakeStand) => stand.log.recordsOf(TOPIC.events).length;
const isIdle = ({ shares }: IntakeStand) =>
  shares.keyed.heldBytes === 0 && shares.keyless.heldBytes === 0;

const MEBIBYTE = 1_048_576;

describe('two hundred senders without a key', () => {
  it('hold at most the bytes for keyless bodies and get 503; other senders are not affected', async () => {
    const maxKeylessBytes = 8 * MEBIBYTE;
    const stand = await standWith({ maxKeylessBytes });
    const half = Buffer.alloc(MEBIBYTE / 2, ' ');
    const flood = await Promise.all(
      Array.from({ length: 200 }, () => begin(stand, `Content-Length: ${String(MEBIBYTE)}`)),
    );
    for (const request of flood) request.write(half);
    const { keyless, keyed: others } = stand.shares;
    await until('bodies are refused', () => keyless.refusals >= 184);
    expect(keyless.peakBytes).toBeLessThanOrEqual(maxKeylessBytes);
    expect(keyless.heldBytes).toBeGreaterThan(maxKeylessBytes / 2);
    const refused = flood.filter(({ answer }) => answer.startsWith('HTTP/1.1 503'));
    expect(refused.length).toBeGreaterThan(150);
    for (const { answer } of refused) expect(answer).toMatch(/^Retry-After: \d+\r$/m);
    expect(await post(stand, PAGE)).toMatchObject({ status: 200 });
    expect(others.refusals).toBe(0);
    for (const request of flood) request.destroy();
    await until('all is given back', () => isIdle(stand));
  });

  it('are refused before their bodies are read when their keys are unknown', async () => {
    const stand = await standWith();
    const flood = await Promise.all(
      Array.from({ length: 200 }, () =>
        begin(stand, keyed(newWriteKey()), 'Content-Length: 4194304'),
      ),
    );
    for (const request of flood) request.write(' ');
    const statuses = await Promise.all(flood.map((request) => request.status()));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(stand.shares.keyed.peakBytes).toBe(0);
    await until('all is given back', () => isIdle(stand));
  });
});

describe('checks of the headers, before the body is read', () => {
  type Row = [title: string, head: string[], status: number];
  const unknown = newWriteKey();
  const ROWS: Row[] = [
    ['a length over the limit, before the key', [keyed(unknown), 'Content-Length: 4194305'], 413],
    ['a length over the limit, without a key', ['Content-Length: 4194305'], 413],
    ['a length of the limit, then the key', [keyed(unknown), 'Content-Length: 4194304'], 401],
    [
      'an encoding, before the key',
      [keyed(unknown), 'Content-Length: 9', 'Content-Encoding: br'],
      415,
    ],
    [
      'a charset, before the key',
      [keyed(unknown), 'Content-Length: 9', 'Content-Type: text/plain; charset=latin1'],
      415,
    ],
    [
      'chunks of who knows what length, then the key',
      [keyed(unknown), 'Transfer-Encoding: chunked'],
      401,
    ],
    [
      'gzip that may be none, then the key',
      [keyed(unknown), 'Content-Length: 9', 'Content-Encoding: gzip'],
      401,
    ],
  ];

  it.each(ROWS)('%s', async (_, head, status) => {
    const stand = await standWith();
    expect(await (await begin(stand, ...head)).status()).toBe(status);
    expect(stand.shares.keyed.peakBytes).toBe(0);
  });

  it('refuse a length over the limit with a known key too', async () => {
    const stand = await standWith();
    const request = await begin(stand, keyed(), 'Content-Length: 4194305');
    expect(await request.status()).toBe(413);
  });
});

describe('bodies of known senders', () => {
  it('are accepted up to the total; one more byte is answered 503 before the body ends', async () => {
    const stand = await standWith({ maxTotalBytes: 300_000 });
    const first = await begin(stand, keyed(), 'Content-Length: 200000');
    first.write(Buffer.alloc(199_999, ' '));
    await until('the first is here', () => stand.shares.keyed.heldBytes >= 199_999);
    const second = await begin(stand, keyed(), 'Content-Length: 150000');
    second.write(Buffer.alloc(110_000, ' '));
    expect(await second.status()).toBe(503);
    expect(second.answer).toContain('Retry-After');
    const third = await post(stand, PAGE.padEnd(50_000));
    expect(third).toMatchObject({ status: 200 });
    expect(stand.shares.keyed.peakBytes).toBeLessThanOrEqual(300_000);
    first.destroy();
    await until('all is given back', () => isIdle(stand));
    expect(await post(stand, PAGE.padEnd(150_000))).toMatchObject({ status: 200 });
  });

  it('are charged together with the events made of them, until these are appended', async () => {
    const stand = await standWith();
    const held: number[] = [];
    stand.log.beforeAppend = () => void held.push(stand.shares.keyed.heldBytes);
    const body = `[${Array.from({ length: 100 }, () => PAGE).join()}]`;
    await post(stand, body);
    const texts = stand.log.recordsOf(TOPIC.events).map(({ value }) => value?.length ?? 0);
    const bytes = texts.reduce((sum, each) => sum + each, 0);
    expect(held).toHaveLength(1);
    expect(held[0]).toBeGreaterThan(body.length + bytes);
    expect(isIdle(stand)).toBe(true);
  });

  it('are refused entirely when the share has no room for their events', async () => {
    const body = `[${Array.from({ length: 1_000 }, () => PAGE).join()}]`;
    const stand = await standWith({ maxTotalBytes: 2 * body.length });
    expect(await post(stand, body)).toMatchObject({ status: 503 });
    expect(count(stand)).toBe(0);
    expect(isIdle(stand)).toBe(true);
  });

  it('are charged with their decompressed size', async () => {
    const body = PAGE.padEnd(400_000);
    const roomy = await standWith({ maxTotalBytes: 700_000 });
    expect(await post(roomy, gzipSync(body), GZIP)).toMatchObject({ status: 200 });
    expect(roomy.shares.keyed.peakBytes).toBeGreaterThan(400_000);
    const tight = await standWith({ maxTotalBytes: 400_000 });
    expect(await post(tight, gzipSync(body), GZIP)).toMatchObject({ status: 503 });
    expect([isIdle(roomy), isIdle(tight)]).toEqual([true, true]);
  });

  it('are released when they are not gzip, or too long decompressed', async () => {
    const stand = await standWith();
    expect(await post(stand, PAGE, GZIP)).toMatchObject({ status: 400 });
    expect(await post(stand, '', GZIP)).toMatchObject({ status: 400 });
    const bomb = gzipSync(Buffer.alloc(5 * MEBIBYTE, ' '));
    expect(await post(stand, bomb, GZIP)).toMatchObject({ status: 413 });
    expect(isIdle(stand)).toBe(true);
  });
});

const GZIP = { 'Content-Encoding': 'gzip' };

describe('a slow body', () => {
  const SLOW = { bodyTimeoutMs: 500, keylessBodyTimeoutMs: 100 };

  it('is accepted until its time-out, and answered 503 after it', async () => {
    const stand = await standWith({ ...SLOW, bodyTimeoutMs: 60_000 });
    const slow = await begin(stand, keyed(), `Content-Length: ${String(PAGE.length)}`);
    slow.write(PAGE.slice(0, 9));
    const hasty = await standWith(SLOW);
    const stuck = await begin(hasty, keyed(), `Content-Length: ${String(PAGE.length)}`);
    stuck.write(PAGE.slice(0, 9));
    expect(await stuck.status()).toBe(503);
    expect(stuck.answer).toContain('Retry-After');
    slow.write(PAGE.slice(9));
    expect(await slow.status()).toBe(200);
    expect([isIdle(stand), isIdle(hasty)]).toEqual([true, true]);
  });

  it('without a key has the shorter time-out', async () => {
    const stand = await standWith({ ...SLOW, bodyTimeoutMs: 60_000 });
    const request = await begin(stand, 'Transfer-Encoding: chunked');
    const trickle = setInterval(() => {
      request.write('1\r\n \r\n');
    }, 10);
    expect(await request.status()).toBe(503);
    clearInterval(trickle);
    expect(isIdle(stand)).toBe(true);
  });

  it('is released when the client disconnects', async () => {
    const stand = await standWith();
    const begun = [
      await begin(stand, keyed(), 'Content-Length: 1000'),
      await begin(stand, 'Content-Length: 1000'),
    ];
    for (const request of begun) request.write(Buffer.alloc(500, ' '));
    const { shares } = stand;
    await until('both are here', () => shares.keyed.heldBytes > 0 && shares.keyless.heldBytes > 0);
    for (const request of begun) request.destroy();
    await until('all is given back', () => isIdle(stand));
  });
});

it('moves a body to the share of known senders once its key has been found in it', async () => {
  const stand = await standWith({ maxKeylessBytes: 100_000, maxTotalBytes: 200_000 });
  const body = `{"writeKey":"${server.key}","type":"page","userId":"u"}`.padEnd(90_000);
  const held: number[][] = [];
  const { keyed: known, keyless } = stand.shares;
  stand.log.beforeAppend = () => void held.push([keyless.heldBytes, known.heldBytes]);
  expect(await post(stand, body, { Authorization: '' })).toMatchObject({ status: 200 });
  expect(held).toEqual([[0, expect.any(Number)]]);
  expect(held[0]?.[1]).toBeGreaterThan(90_000);
  expect(await post(stand, body.padEnd(100_001), { Authorization: '' })).toMatchObject({
    status: 503,
  });
  expect(isIdle(stand)).toBe(true);
});

it('starts the time-out of the append when there is something to append', async () => {
  const stand = await standWith({ appendTimeoutMs: 50 });
  const body = `[${Array.from({ length: 20_000 }, () => PAGE).join()}]`;
  expect(await post(stand, body)).toMatchObject({ status: 200 });
});

it('reports the held bytes and the number of refusals as metrics', async () => {
  const stand = await standWith({ maxKeylessBytes: 1_000 });
  await post(stand, PAGE.padEnd(1_001), { Authorization: '' });
  const request = await begin(stand, 'Content-Length: 1000');
  request.write(Buffer.alloc(600, ' '));
  await until('it is here', () => stand.shares.keyless.heldBytes > 0);
  const metrics = await stand.registry.metrics();
  expect(metrics).toMatch(/^penstock_request_body_bytes\{share="keyless"\} [1-9]\d*$/m);
  expect(metrics).toMatch(/^penstock_request_body_bytes\{share="keyed"\} 0$/m);
  expect(metrics).toMatch(/^penstock_request_bodies_refused_total\{share="keyless"\} 1$/m);
});
