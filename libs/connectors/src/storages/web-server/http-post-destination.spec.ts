import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SELF_SIGNED } from '@penstock/test-servers';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { cut, patterned } from '../storage.conformance';
import { BAD_PATHS, connected, faultOf } from '../storage.fixture';
import { TlsStub } from '../tls-stub.fixture';
import { httpPostConnector } from './http-post-connector';

const http = createGuardedHttp({ allow: ['127.0.0.0/8'], authorities: SELF_SIGNED.cert });
let stub: TlsStub;
/** What has come of each request; an error where it has no proper end. */
let bodies: (Buffer | Error)[];
let status: number;

const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await buffer(request).catch((error: unknown) => error as Error);
  bodies.push(body);
  response.writeHead(status, { Location: '/elsewhere' }).end('thanks');
};

beforeEach(async () => {
  stub = await TlsStub.start();
  bodies = [];
  status = 200;
  stub.answer = (request, response) => void take(request, response);
});
afterEach(() => stub.close());
afterAll(() => http.close());

const storage = (more: object = {}, signal?: AbortSignal, way = http) =>
  connected(httpPostConnector, { host: 'localhost', port: stub.port, ...more }, way, signal);

it.each([0, 1, 65_536, 5_000_000])('posts %i bytes in one request', async (size) => {
  const content = patterned(size, 1);
  const headers = [{ key: 'Authorization', value: 'Bearer secret' }];
  await storage({ headers }).write('in/ü 1.csv?key=x', cut(content, 100_000));
  expect(bodies.map((body) => Buffer.isBuffer(body) && body.equals(content))).toEqual([true]);
  expect(stub.requests[0]).toMatchObject({ method: 'POST', url: '/in/%C3%BC%201.csv?key=x' });
  expect(stub.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'text/csv',
    'user-agent': expect.stringMatching(/^penstock\//) as string,
  });
});

it('lets the settings name another type', async () => {
  await storage({ headers: [{ key: 'content-TYPE', value: 'x/y' }] }).write(
    'a',
    cut(patterned(1, 1), 1),
  );
  expect(stub.requests[0]?.headers['content-type']).toBe('x/y');
});

it.each([
  [200, true],
  [201, true],
  [202, true],
  [203, false],
  [204, true],
  [205, false],
  [302, false],
  [307, false],
  [308, false],
  [429, false],
  [500, false],
])('takes the answer %i as a success: %s, and asks once', async (answered, isGood) => {
  status = answered;
  const posting = storage().write('a.csv', cut(patterned(10, 1), 10));
  if (isGood) await posting;
  else
    expect(await faultOf(() => posting)).toEqual([
      answered < 429 ? 'Refused' : 'Unavailable',
      expect.stringMatching(`^answered ${String(answered)}`),
    ]);
  expect(stub.requests).toHaveLength(1);
});

it('ends the body without a proper end when the content fails, and throws what the content threw', async () => {
  const failure = new Error('the warehouse is away');
  async function* failing() {
    yield* cut(patterned(200_000, 1), 50_000);
    throw failure;
  }
  await expect(storage().write('a.csv', failing())).rejects.toBe(failure);
  while (bodies.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(bodies).toMatchObject([{ code: 'ECONNRESET' }]);
  expect(stub.requests).toHaveLength(1);
});

it('does not post again when the connection ends', async () => {
  stub.answer = (request) => request.once('data', () => request.socket.destroy());
  const [kind, message] = await faultOf(() =>
    storage().write('a.csv', cut(patterned(5_000_000, 1), 50_000)),
  );
  expect([kind, message]).toEqual([
    'Unavailable',
    expect.stringMatching(/; the server may have taken the file, or a part of it$/),
  ]);
  expect(stub.requests).toHaveLength(1);
});

it('takes an answer that comes before the end of the body', async () => {
  stub.answer = (_, response) => response.writeHead(413, { Connection: 'close' }).end();
  const [kind] = await faultOf(() =>
    storage().write('a.csv', cut(patterned(20_000_000, 1), 50_000)),
  );
  expect(kind).toBe('Refused');
  expect(stub.requests).toHaveLength(1);
});

it('takes no success for one that comes before the end of the body', async () => {
  stub.answer = (_, response) => response.writeHead(200, { Connection: 'close' }).end();
  const [kind, message] = await faultOf(() =>
    storage().write('a.csv', cut(patterned(20_000_000, 1), 50_000)),
  );
  expect([kind, message]).toEqual([
    'Unavailable',
    expect.stringMatching(/; the server may have taken the file, or a part of it$/),
  ]);
});

it('ends with its caller', async () => {
  const controller = new AbortController();
  async function* hanging() {
    yield await Promise.resolve(patterned(10, 1));
    setTimeout(() => {
      controller.abort();
    }, 50);
    await new Promise(() => undefined);
  }
  const [kind, message] = await faultOf(() =>
    storage({}, controller.signal).write('a.csv', hanging()),
  );
  expect([kind, message]).toEqual(['Unavailable', expect.stringMatching(/^request was given up/)]);
});

it('gives up a server that takes nothing any more', async () => {
  const server: Server = createServer((request) => request.pause()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  async function* endless() {
    for (;;) yield await Promise.resolve(patterned(65_536, 1));
  }
  await expect(
    http.upload(
      {
        method: 'POST',
        url: `http://127.0.0.1:${String(port)}/`,
        headers: {},
        bytes: endless(),
        idleMs: 300,
      },
      new AbortController().signal,
    ),
  ).rejects.toThrow('nothing was taken for 0.3 s');
  server.closeAllConnections();
  server.close();
});

it('connects to nothing that the operator did not allow', async () => {
  const guarded = createGuardedHttp({ allow: [], authorities: SELF_SIGNED.cert });
  const [, message] = await faultOf(() =>
    storage({}, undefined, guarded).write('a.csv', cut(patterned(1, 1), 1)),
  );
  expect(message).toMatch(/^address is not allowed by the egress rules/);
  expect(stub.requests).toEqual([]);
  await guarded.close();
});

it.each(BAD_PATHS)('posts nothing to the path %j: %s', async (path, kind) => {
  expect((await faultOf(() => storage().write(path, cut(patterned(1, 1), 1))))[0]).toBe(kind);
  expect(stub.requests).toEqual([]);
});

it('is a destination alone', () => {
  expect(httpPostConnector).toMatchObject({
    asSource: null,
    asDestination: { targets: ['User'], sendingMode: 'Server' },
  });
});
