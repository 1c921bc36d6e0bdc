import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/** Below the ports that Linux (32768) and macOS (49152) give to outgoing connections: a stopped broker's port
 * stays free for its restart, and a client that dials it meanwhile cannot be connected to itself. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Test runners that work beside each other choose from different parts, so that none takes what another has chosen. */
const PARTS = 8;

const given = new Set<number>();

const candidate = (): number => {
  const part = Number(process.env['JEST_WORKER_ID'] ?? 0) % PARTS;
  const size = (HIGHEST - LOWEST) / PARTS;
  return LOWEST + part * size + randomInt(size);
};

/** Ports of the loopback address on which nobody listens now; none that this process was given before. */
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
