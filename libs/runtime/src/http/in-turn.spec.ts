import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from './in-turn';

let server: Server;
let handled: { readonly url: string; readonly response: ServerResponse }[];
let client: Socket;
let received: string;
let closed: Promise<unknown>;

beforeEach(async () => {
  handled = [];
  received = '';
  server = createServer(
    inTurn(({ url = '' }, response) => {
      handled.push({ url, response });
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setEncoding('latin1').on('data', (part: string) => (received += part));
  await once(client, 'connect');
  closed = new Promise((resolve) => client.on('error', () => undefined).once('close', resolve));
});

afterEach(async () => {
  client.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const send = (...urls: readonly string[]): void => {
  client.write(urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
};

const isHandled = async (count: number): Promise<void> => {
  while (handled.length < count) await sleep(5);
};

const urls = (): readonly string[] => handled.map(({ url }) => url);

it('handles each request of a connection after the answer to the one before', async () => {
  send('/1', '/2', '/3');
  for (const nth of [1, 2, 3]) {
    await isHandled(nth);
    expect(urls()).toEqual(['/1', '/2', '/3'].slice(0, nth));
    handled.at(-1)!.response.end(`answer ${String(nth)}`);
  }
  while (!received.includes('answer 3')) await sleep(5);
  send('/4');
  await isHandled(4);
});

it.each(['before', 'after'])(
  'handles nothing that was sent behind an answer that closes the connection, %s it',
  async (when) => {
    send('/1', ...(when === 'before' ? ['/2'] : []));
    await isHandled(1);
    handled[0]!.response.writeHead(401, { Connection: 'close' }).end('no');
    if (when === 'after') send('/2');
    await closed;
    // A reset may have overtaken the answer.
    if (when === 'before') expect(received).toMatch(/^HTTP\/1\.1 401 /);
    expect(urls()).toEqual(['/1']);
  },
);

it('handles nothing that waits when the client goes', async () => {
  send('/1', '/2');
  await isHandled(1);
  const { response } = handled[0]!;
  client.destroy();
  await once(response, 'close');
  expect(urls()).toEqual(['/1']);
});
