import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/** Below the ports that Linux (32768) and macOS (49152) give to outgoing connections: a stopped broker's port
 * stays free for its restart, and a client that dials it meanwhile cannot be connected to itself. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Distinct ports of the loopback address on which nobody listens now. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
