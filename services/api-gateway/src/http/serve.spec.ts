import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { CannotStart } from '@penstock/runtime';
import { serve } from './serve';

it('says in one line that its port is taken', async () => {
  const server = await serve(() => undefined, 0, '127.0.0.1');
  const port = Number(new URL(server.address).port);
  const second = serve(() => undefined, port, '127.0.0.1').catch((error: unknown) => error);
  const error = await second.finally(() => server.close(0));
  expect(error).toBeInstanceOf(CannotStart);
  expect(String(error)).toMatch(/port \d+ on 127\.0\.0\.1 .*PENSTOCK_PORT/);
});

it('answers a client that has closed its half of the connection, and ends one that waits for too long', async () => {
  const requests: [string, ServerResponse][] = [];
  const server = await serve(
    ({ url = '' }, response) => {
      requests.push([url, response]);
      if (url === '/quick') setImmediate(() => response.end('answer'));
    },
    0,
    '127.0.0.1',
    { halfClosedMs: 50 },
  );
  const received = async (path: string): Promise<string> => {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return (await socket.toArray()).join('');
  };
  expect(await received('/quick')).toContain('answer');
  expect(await received('/never')).toBe('');
  expect(requests.map(([url]) => url)).toEqual(['/quick', '/never']);
  await server.close(0);
});
