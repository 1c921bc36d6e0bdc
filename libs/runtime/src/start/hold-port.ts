import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { CannotStart } from './cannot-start';

/** A port as it is configured. */
export interface ConfiguredPort {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  /** Name of the variable of the port, such as `PENSTOCK_PORT`. */
  readonly variable: string;
}

const FAULTS: Readonly<Record<string, (port: ConfiguredPort) => string>> = {
  EADDRINUSE: ({ port, host, variable }) =>
    `port ${port} on ${host} is in use by another program: stop that one, or set ${variable} to another port`,
  EACCES: ({ port, host, variable }) =>
    `port ${port} on ${host} may not be used by this user: set ${variable} to a port above 1023`,
  EADDRNOTAVAIL: ({ host, variable }) =>
    `${host} is not an address of this machine: correct ${hostVariable(variable)}`,
  ENOTFOUND: ({ host, variable }) =>
    `${host} is not the name of a host: correct ${hostVariable(variable)}`,
};

const hostVariable = (variable: string): string => variable.replace(/PORT$/, 'HOST');

/**
 * Lets a server listen, and resolves when it does.
 *
 * @throws CannotStart when the port cannot be had.
 */
export const listenOn = async (server: Server, configured: ConfiguredPort): Promise<void> => {
  server.listen(configured.port, configured.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const explain = FAULTS[(cause as NodeJS.ErrnoException).code ?? ''];
    throw explain === undefined ? cause : new CannotStart(explain(configured), { cause });
  }
};

/**
 * Takes a port until the server that is to listen on it is made, so that nothing is created by a start that must fail.
 * Connections are closed at once.
 *
 * @returns a function that releases the port, to be called immediately before the server listens.
 * @throws CannotStart when the port cannot be had.
 */
export const holdPort = async (configured: ConfiguredPort): Promise<() => Promise<void>> => {
  const server = createServer((socket) => socket.destroy());
  await listenOn(server, configured);
  return async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
};
