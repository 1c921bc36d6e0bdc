import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bare HTTP server for comparison: reads the body, parses it, answers 200. */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as { batch?: unknown[] };
    const answer = JSON.stringify({ accepted: body.batch?.length ?? 1 });
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
