import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Connections } from '@penstock/runtime';
import { refuseUnparsed } from './refuse-unparsed';
import { type RunningServer, serve } from './serve';

const TIMEOUT_MS = 400;

let server: RunningServer;
let port: number;
let answerAfterMs: number;

beforeEach(async () => {
  answerAfterMs = 0;
  const answer: RequestListener = (request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('answered'), answerAfterMs));
  };
  server = await serve(answer, 0, '127.0.0.1', { requestTimeoutMs: TIMEOUT_MS });
  port = Number(new URL(server.address).port);
});
afterEach(() => server.close(0));

/** Sends the text and returns everything received until the connection is closed. */
const talk = async (text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (part: string) => (received += part));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return received;
};

const HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

it.each([
  [400, 'BadRequest', 'what is not HTTP', 'not HTTP\r\n\r\n'],
  [400, 'BadRequest', 'a header with a control character', `${HEAD}A: \x01\r\n\r\n`],
  [408, 'RequestTimeout', 'a head that does not come to its end', HEAD],
  [413, 'PayloadTooLarge', 'a chunk of many extensions', `${CHUNKED}2;${'a'.repeat(20_000)}\r\n`],
  [431, 'HeadersTooLarge', 'headers beyond 128 KiB', `${HEAD}A: ${'a'.repeat(131_072)}\r\n\r\n`],
])('answers %d %s to %s, in the shape of every error', async (status, code, _, request) => {
  const [head = '', body = ''] = (await talk(request)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} \\w+`));
  expect(head).toMatch(/\r\nContent-Type: application\/json\r\n/);
  expect(head).toMatch(/\r\nRequest-Id: [0-9a-f]{12}-\w+/);
  expect(JSON.parse(body)).toMatchObject({ error: { code } });
});

it('accepts headers of nearly 128 KiB', async () => {
  const request = `${HEAD}A: ${'a'.repeat(130_000)}\r\nConnection: close\r\n\r\n`;
  expect(await talk(request)).toMatch(/^HTTP\/1.1 200 OK/);
});

it('answers the requests before one that is not HTTP', async () => {
  const answers = await talk(`${HEAD}\r\nnot HTTP\r\n\r\n`);
  expect(answers).toMatch(/^HTTP\/1.1 200 OK[^]*answered[^]*HTTP\/1.1 400 Bad Request/);
});

it.each([
  ['what is not HTTP', 'not HTTP\r\n\r\n'],
  ['a body that is broken', `${CHUNKED}x\r\n`],
])('answers %s after the answer to a request still in progress', async (_, broken) => {
  answerAfterMs = 100;
  const answers = await talk(`${HEAD}\r\n${broken}`);
  expect(answers).toMatch(/^HTTP\/1.1 200 OK[^]*answered[^]*HTTP\/1.1 400 Bad Request/);
});

it('delivers the answer while the client is still sending', async () => {
  const rest = `A: ${'a'.repeat(1_000_000)}\r\n\r\n`;
  expect(await talk(`${HEAD}${rest}`)).toMatch(/^HTTP\/1.1 431 /);
});

it('closes a connection that the client leaves open', async () => {
  const bare = createServer();
  refuseUnparsed(bare, new Connections(bare));
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(bare, 'connection') as Promise<[Socket]>;
  const address = bare.address() as AddressInfo;
  const client = connect({ port: address.port, allowHalfOpen: true }).resume();
  client.write('not HTTP\r\n\r\n');
  await once(client, 'end');
  const [socket] = await accepted;
  expect(socket.destroyed).toBe(false);
  await once(socket, 'close');
  client.destroy();
  bare.close();
});
