import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { CallerGone, callerGone } from './caller-gone';

/** A server that holds the response until the test sends it. */
const serve = async () => {
  const signals: AbortSignal[] = [];
  const responses: Response[] = [];
  const server = createServer((_, response) => {
    signals.push(callerGone(response as Response));
    responses.push(response as Response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, signals, responses, url: `http://127.0.0.1:${String(port)}/` };
};

it('reports when a connection closes before the response was sent, and not after', async () => {
  const { server, signals, responses, url } = await serve();
  const answered = get(url);
  await once(server, 'request');
  responses[0]?.end('done');
  const [incoming] = (await once(answered, 'response')) as [NodeJS.ReadableStream];
  incoming.resume();
  await once(incoming, 'end');

  const given = get(url).on('error', () => undefined);
  await once(server, 'request');
  given.destroy();
  await once(responses[1] as Response, 'close');
  expect(signals[0]?.aborted).toBe(false);
  expect(signals[1]?.reason).toBeInstanceOf(CallerGone);
  expect(callerGone(responses[1] as Response).aborted).toBe(true);
  server.close();
  server.closeAllConnections();
});
