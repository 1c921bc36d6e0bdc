import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createLogger } from '@penstock/runtime';
import { GatewayStand } from './testing/gateway.fixture';
import { apiKey, organization, source, workspace } from './testing/installation.fixture';
import { RawRequest } from './testing/raw-request.fixture';

const DRAIN_SECONDS = 3;

const key = apiKey('read');
const server = source('nodejs');

let stand: GatewayStand;
let agents: Agent[];
let lines: string[];
let stopped: Promise<void> | undefined;
/** The times for which the gateway has waited while it drains: until the spec ends the drain. */
let waitsMs: number[];
let drained: Promise<void>;
let endDrain: () => void;

beforeEach(() => {
  stand = new GatewayStand();
  agents = [];
  lines = [];
  stopped = undefined;
  waitsMs = [];
  drained = new Promise((resolve) => (endDrain = resolve));
});

afterEach(async () => {
  for (const agent of agents) agent.destroy();
  endDrain();
  await stop();
});

const stop = (): Promise<void> => (stopped ??= stand.stop());

const start = async (drainSeconds: number, shutdownSeconds = 25): Promise<void> => {
  await stand.configure(organization({ apiKeys: [key.record] }), workspace(), server.state);
  const settings = { service: 'spec', LOG_LEVEL: 'warn', LOG_FORMAT: 'json' } as const;
  await stand.start({
    config: {
      PENSTOCK_HOST: '127.0.0.1',
      PENSTOCK_PORT: 0,
      PENSTOCK_TRUSTED_PROXIES: [],
      PENSTOCK_DRAIN_SECONDS: drainSeconds,
      PENSTOCK_SHUTDOWN_SECONDS: shutdownSeconds,
    },
    logger: createLogger(settings, { write: (line) => void lines.push(line) }),
    drainWait: (ms) => {
      waitsMs.push(ms);
      return drained;
    },
  });
};

const port = (): number => Number(new URL(stand.url('')).port);

/** A client with a connection of its own. */
const client = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async (call: string, body = '') => {
    const [method = '', path = ''] = call.split(' ');
    const token = path.startsWith('/v1/events') ? server.key : key.key;
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }),
    };
    const sent = request(stand.url(path), { method, agent, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return [response.statusCode, response.headers.connection];
  };
};

const EVENT = '{"type":"page","userId":"u"}';

const CALLS: readonly (readonly [what: string, call: string, status: number, body: string])[] = [
  ['health checks', 'GET /healthz', 200, ''],
  ['reads', 'GET /v1/connectors', 200, ''],
  ['events', 'POST /v1/events', 200, EVENT],
  ['refused events', 'POST /v1/events', 400, 'no JSON'],
  ['preflight requests', 'OPTIONS /v1/events', 204, ''],
  ['unknown routes', 'GET /v1/none', 404, ''],
];

it.each(CALLS)(
  'goes on answering %s during the drain, and says that the connection ends',
  async (_, call, status, body) => {
    await start(DRAIN_SECONDS);
    const send = client();
    expect(await send(call, body)).toEqual([status, 'keep-alive']);
    void stop();
    expect(await send(call, body)).toEqual([status, 'close']);
    endDrain();
    await stop();
    expect(waitsMs).toEqual([DRAIN_SECONDS * 1_000]);
    await expect(client()(call, body)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(lines).toEqual([]);
  },
);

it('keeps idle connections until the end of the drain', async () => {
  await start(DRAIN_SECONDS);
  const idle = await RawRequest.begin(port(), '/v1/events', ['Content-Length: 0']);
  await idle.status();
  let isClosed = false;
  const closed = once(idle.socket, 'close').then(() => (isClosed = true));
  void stop();
  expect(await client()('GET /healthz')).toEqual([200, 'close']);
  expect(isClosed).toBe(false);
  endDrain();
  await closed;
  await stop();
});

it('takes an event whose body arrives after the end of the drain', async () => {
  await start(0);
  const head = [`Authorization: Bearer ${server.key}`, `Content-Length: ${EVENT.length}`];
  const upload = await RawRequest.begin(port(), '/v1/events', head);
  upload.write(EVENT.slice(0, 5));
  await client()('GET /healthz');
  void stop();
  upload.write(EVENT.slice(5));
  expect(await upload.status()).toBe(200);
  await stop();
  expect(upload.answer).toContain('Connection: close');
  expect(lines).toEqual([]);
});

it('cuts off what takes longer than half of the time that remains, and says so', async () => {
  await start(0, 1);
  const head = [`Authorization: Bearer ${server.key}`, 'Content-Length: 10'];
  const upload = await RawRequest.begin(port(), '/v1/events', head);
  await client()('GET /healthz');
  await stop();
  expect(upload.answer).toBe('');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      level: 'warn',
      connections: 1,
      msg: expect.stringContaining('requests under way were cut off') as string,
    }),
  ]);
});
