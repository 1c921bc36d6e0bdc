import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '@penstock/contracts';
import type { Connections } from '@penstock/runtime';
import { type ErrorAnswer, errorAnswer, errorBody } from './error-answer';
import { HttpRefusal } from './http-refusal';
import { newRequestId } from './request-id';

/**
 * Refusals by error code of Node's HTTP parser. Source: Node, `socketOnError` of its HTTP server, which answers the
 * same statuses without a body.
 */
const REFUSALS: Readonly<Record<string, () => Error>> = {
  HPE_HEADER_OVERFLOW: () => new HttpRefusal('HeadersTooLarge'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new HttpRefusal('PayloadTooLarge'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new HttpRefusal('RequestTimeout'),
};

/** Time for the answer to arrive before a connection that the client leaves open is destroyed. */
const LINGER_MS = 1_000;

const notHttp = (): Error =>
  new Refusal('BadRequest', { message: 'request is not valid: it is not HTTP' });

const textOf = (answer: ErrorAnswer): string => {
  const body = errorBody(answer);
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${newRequestId()}`,
    '',
    body,
  ].join('\r\n');
};

const end = (socket: Duplex, text: string): void => {
  const timer = setTimeout(() => {
    socket.destroy();
  }, LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end(text);
};

/**
 * Answers requests that Node cannot parse, which no request listener sees: in the shape of every other error, and after
 * the answers to earlier requests on the connection.
 */
export const refuseUnparsed = (server: Server, connections: Connections): void => {
  const refused = new WeakSet<Duplex>();
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Bytes after the first error only cause further errors.
    if (refused.has(socket)) return;
    refused.add(socket);
    const unfinished = connections.unfinishedOn(socket);
    const broken = unfinished.find(({ req }) => !req.complete);
    const before = unfinished.findLast(({ req }) => req.complete);
    const refuse = (): void => {
      if (!socket.writable || code === 'ECONNRESET' || broken?.headersSent === true)
        socket.destroy();
      else end(socket, textOf(errorAnswer((REFUSALS[code] ?? notHttp)())));
    };
    if (before === undefined) refuse();
    else before.once('finish', refuse);
  });
};
