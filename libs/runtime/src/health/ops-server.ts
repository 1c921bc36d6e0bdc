import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, type Registry, register } from 'prom-client';
import { type Answer, healthzAnswer, metricsAnswer, readyzAnswer } from './answer';
import { Connections } from '../http/connections';
import { ServerDrain } from '../http/server-drain';
import { listenOn } from '../start/hold-port';
import type { Health } from './health';

/** Where the server listens, and what it shows. */
export interface OpsServerOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default loopback: metrics are not for strangers. */
  readonly host?: string;
  readonly health: Health;
  /** Default: prom-client's own, in which metrics register themselves. */
  readonly registry?: Registry;
}

/** The server for `/healthz`, `/readyz` and `/metrics` of a process. */
export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

const REFUSED: Answer = { status: 405, contentType: 'text/plain', body: 'method not allowed\n' };
const UNKNOWN: Answer = { status: 404, contentType: 'text/plain', body: 'not found\n' };

type Route = (health: Health, registry: Registry) => Answer | Promise<Answer>;

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/healthz', healthzAnswer],
  ['/readyz', (health) => readyzAnswer(health)],
  ['/metrics', (_, registry) => metricsAnswer(registry)],
]);

const write = (response: ServerResponse, { status, contentType, body }: Answer): void => {
  const allow = status === 405 ? { Allow: 'GET, HEAD' } : {};
  response.writeHead(status, {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    ...allow,
  });
  response.end(body);
};

const answerTo = async (
  { method, url = '' }: IncomingMessage,
  health: Health,
  registry: Registry,
): Promise<Answer> => {
  const route = ROUTES.get(url.split('?', 1)[0] ?? '');
  if (!route) return UNKNOWN;
  return method === 'GET' || method === 'HEAD' ? route(health, registry) : REFUSED;
};

/** Longer than a probe of what hangs. */
const CLOSE_TIMEOUT_MS = 3_000;

const FAILED: Answer = { status: 500, contentType: 'text/plain', body: 'internal error\n' };

/**
 * Serves `/healthz`, `/readyz` and `/metrics`, the process's own metrics among them. One per process, however
 * many services share it.
 *
 * @throws CannotStart when the port cannot be had.
 */
export const startOpsServer = async ({
  port,
  host = '127.0.0.1',
  health,
  registry = register,
}: OpsServerOptions): Promise<OpsServer> => {
  const server = createServer();
  const drain = new ServerDrain(server, new Connections(server), (request, response) => {
    void answerTo(request, health, registry)
      .catch(() => FAILED)
      .then((answer) => write(response, answer));
  });
  await listenOn(server, { port, host, variable: 'PENSTOCK_OPS_PORT' });
  if (!registry.getSingleMetric('process_start_time_seconds'))
    collectDefaultMetrics({ register: registry });
  const close = async (): Promise<void> => {
    await drain.close(CLOSE_TIMEOUT_MS);
  };
  return { port: (server.address() as AddressInfo).port, close };
};
