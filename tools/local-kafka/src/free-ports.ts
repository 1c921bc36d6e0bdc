import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/**
 * The ports are below those that Linux (32768) and macOS (49152) assign to outgoing connections, so that a stopped
 * broker's port stays free for its restart, and a client that connects to it meanwhile is not connected to itself.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Number of ranges; concurrent test runners use different ones, so that they do not choose the same ports. */
const PARTS = 8;

const given = new Set<number>();

const candidate = (): number => {
  const part = Number(process.env['JEST_WORKER_ID'] ?? 0) % PARTS;
  const size = (HIGHEST - LOWEST) / PARTS;
  return LOWEST + part * size + randomInt(size);
};

/** Ports of the loopback address on which nothing listens now, and that this process was not given before. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = candidate();
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
