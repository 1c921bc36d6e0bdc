import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const MIB = 1_048_576;
/** A server that gets rid of so much was not stopped. */
const ENDLESS = 512 * MIB;

/** What a server sends: something, then one piece over and over, as fast as it is taken. */
export interface Flood {
  readonly head?: Buffer;
  readonly piece: Buffer;
}

/** A server on this machine that sends whatever a test wants. */
export interface HostileServer {
  readonly port: number;
  /** Bytes that were taken off it. */
  readonly taken: () => number;
  /** The most memory that this process has had outside of its heap, and in it, beyond what it had at first. */
  readonly peak: () => number;
  close(): Promise<void>;
}

const memory = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** @param serve is called with each connection. */
export const hostileServer = async (serve: (socket: Socket) => void): Promise<HostileServer> => {
  const sockets = new Set<Socket>();
  const [first, seen] = [memory(), { peak: 0, closed: 0 }];
  const watch = setInterval(() => {
    seen.peak = Math.max(seen.peak, memory() - first);
  }, 5);
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    peak: () => seen.peak,
    close: async () => {
      clearInterval(watch);
      for (const each of sockets) each.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Sends until the connection is closed, or it is clear that nobody ends it. */
export const flood = (socket: Socket, { head = Buffer.alloc(0), piece }: Flood): void => {
  const pieces = Buffer.concat(
    Array.from({ length: Math.ceil(65_536 / piece.length) }, () => piece),
  );
  const send = (): void => {
    while (!socket.destroyed && socket.bytesWritten < ENDLESS) if (!socket.write(pieces)) return;
    socket.destroy();
  };
  socket.on('drain', send);
  socket.write(head);
  send();
};
