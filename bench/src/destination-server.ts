import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A destination that answers at once; counts distinct message ids, and the age of events on arrival. */
const seen = new Set<string>();
let repeated = 0;
let requests = 0;

const MESSAGE_ID = /"messageId":"([^"]+)"/g;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    requests += 1;
    for (const [, id = ''] of Buffer.concat(parts).toString('latin1').matchAll(MESSAGE_ID))
      if (seen.has(id)) repeated += 1;
      else seen.add(id);
    response.writeHead(200, { 'Content-Length': 0 });
    response.end();
  });
});

process.on('message', () => {
  process.send?.({ distinct: seen.size, repeated, requests });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
