import { isIP, Socket } from 'node:net';
import { EgressRefused, type EgressRules, guardedLookup, systemResolve } from '@penstock/egress';

/** A server as settings name it. */
export interface TrustedServer {
  readonly host: string;
  readonly port: number;
}

/** Makes a socket that connects to nothing but the server, and to that only if its address is allowed. */
export type SocketTo = (server: TrustedServer) => Socket;

/** @param trusted may be connected to wherever they are. */
export const guardedSockets = (rules: EgressRules, trusted: readonly TrustedServer[]): SocketTo => {
  const lookup = guardedLookup(rules, systemResolve);
  return ({ host, port }) => {
    const socket = new Socket();
    if (trusted.some((each) => each.host === host && each.port === port)) return socket;
    const connect = socket.connect.bind(socket);
    // The address is decided here, whatever the caller passes.
    socket.connect = () => {
      if (isIP(host) === 0 || rules.allows(host)) return connect({ host, port, lookup });
      process.nextTick(() => socket.destroy(new EgressRefused()));
      return socket;
    };
    return socket;
  };
};
