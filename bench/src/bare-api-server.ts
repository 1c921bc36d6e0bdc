import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a bare server costs: a GET is answered the bytes it was started with, the body of a PUT is parsed. */
const [, , answer = ''] = process.argv;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const isGet = request.method === 'GET';
    if (!isGet) JSON.parse(Buffer.concat(parts).toString());
    const body = isGet ? answer : '';
    response.writeHead(200, {
      ...(isGet && { 'Content-Type': 'application/json' }),
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
