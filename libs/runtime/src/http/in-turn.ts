import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles the requests of each connection one after another. What a client has sent behind a request whose answer closes
 * the connection is not handled: the client gets no answer to it, and repeats it (RFC 9112, section 9.6).
 */
export const inTurn = (handle: RequestListener): RequestListener => {
  const newest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    const before = newest.get(socket);
    newest.set(socket, response);
    const next = (): void => {
      // Node ends the connection before it says that an answer which closes it was sent.
      if (!socket.writableEnded && !socket.destroyed) handle(request, response);
    };
    if (before === undefined || before.closed) next();
    else before.once('close', next);
  };
};
