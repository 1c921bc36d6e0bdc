import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can simulate an outage: while shut, it breaks connections and accepts none. */
export interface TcpGate {
  /** Port on 127.0.0.1. */
  readonly port: number;
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** Starts a proxy for `host:port` on a free port, open. */
export const openTcpGate = async (host: string, port: number): Promise<TcpGate> => {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (!isOpen) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host, port, noDelay: true });
    keep(client);
    keep(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  const shut = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    shut,
    open: () => {
      isOpen = true;
    },
    close: async () => {
      shut();
      server.close();
      await once(server, 'close');
    },
  };
};
