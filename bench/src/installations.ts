import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { startBroker } from '@penstock/local-kafka';
import { KafkaMessageLog, type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { startService, stop, untilReady } from './child';

export const API_KEY = 'bench-key-bench-key-bench-key-bench-key';
const SECRET = 'bench-secret-bench-secret-bench-secret';

/** Raises the limits of keys and of live events, so that the system's own limits are measured. */
const NO_LIMITS = {
  PENSTOCK_API_KEY_RATE: '100000',
  PENSTOCK_API_RATE: '100000',
  PENSTOCK_LIVE_LISTENERS: '500',
};

/** A running installation, and the processes whose CPU and memory are measured. */
export interface Measured {
  readonly name: string;
  readonly port: number;
  readonly processes: ReadonlyMap<string, number>;
  readonly databaseUrl: string;
  /** Another client of the same log. */
  openLog(): MessageLog;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });

/** A temporary folder that the database's user can enter when this process is root. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  await chmod(folder, 0o711);
  return folder;
};

const common = async () => ({
  PENSTOCK_BOOTSTRAP_KEY: API_KEY,
  PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8',
  PENSTOCK_DEMO: '0',
  ...NO_LIMITS,
  PENSTOCK_PORT: String(await freePort()),
  PENSTOCK_OPS_PORT: String(await freePort()),
});

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('a process did not start');
  return pid;
};

/** Further variables of the processes. */
type Variables = Readonly<Record<string, string>>;

/** Of the first workspace: a schema of the same PostgreSQL. */
const warehouseOf = (databaseUrl: string): Variables => {
  const url = new URL(databaseUrl);
  url.search = '?schema=warehouse&sslmode=disable';
  return { PENSTOCK_WAREHOUSE_URL: url.href };
};

/**
 * Starts one process over a PostgreSQL of its own, as `npm start` does.
 *
 * @param warehouse whether the first workspace has a warehouse in the same PostgreSQL.
 */
export const startEmbedded = async (more: Variables = {}, warehouse = false): Promise<Measured> => {
  const folder = await makeFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const own = { ...(await common()), DATABASE_URL: postgres.url, PENSTOCK_SECRET: SECRET };
  const env = { ...own, ...more, ...(warehouse && warehouseOf(postgres.url)) };
  const service = startService('standalone', env, folder);
  const port = Number(env.PENSTOCK_PORT);
  await untilReady(`http://127.0.0.1:${port}`);
  return {
    name: 'embedded log',
    port,
    processes: new Map([
      ['penstock', pidOf(service)],
      ['postgres', postgres.pid],
    ]),
    databaseUrl: postgres.url,
    openLog: () => new PostgresMessageLog({ connection: { connectionString: postgres.url } }),
    stop: async () => {
      await stop(service);
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const SERVICES = ['pipeline-service', 'run-executor', 'event-router'] as const;

/**
 * Starts services in separate processes over a Kafka broker and a PostgreSQL, with one gateway.
 *
 * @param more variables of all services.
 * @param warehouse whether the first workspace has a warehouse in the same PostgreSQL.
 */
export const startDistributed = async (
  routers = 1,
  more: Variables = {},
  warehouse = false,
): Promise<Measured> => {
  const folder = await makeFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const broker = await startBroker({ isLasting: true });
  const services = [
    ...SERVICES,
    ...Array.from({ length: routers - 1 }, () => 'event-router'),
    'api-gateway',
  ];
  const started = new Map<string, ChildProcess>();
  let repeats = 0;
  let port = 0;
  for (const service of services) {
    const own = await common();
    port = Number(own.PENSTOCK_PORT);
    const env = {
      ...own,
      DATABASE_URL: postgres.url,
      PENSTOCK_SECRET: SECRET,
      KAFKA_BROKERS: broker.brokers.join(','),
      ...more,
      ...(warehouse && warehouseOf(postgres.url)),
    };
    const name = started.has(service) ? `${service} ${++repeats + 1}` : service;
    started.set(name, startService(service, env, folder));
    await untilReady(`http://127.0.0.1:${Number(own.PENSTOCK_OPS_PORT)}`);
  }
  await untilReady(`http://127.0.0.1:${port}`);
  return {
    name: routers === 1 ? 'Kafka, four processes' : `Kafka, ${routers} routers`,
    port,
    processes: new Map([
      ...[...started].map(([name, child]): [string, number] => [name, pidOf(child)]),
      ['postgres', postgres.pid],
      ...broker.nodes.map((node): [string, number] => ['kafka', node.pid ?? 0]),
    ]),
    databaseUrl: postgres.url,
    openLog: () => new KafkaMessageLog({ brokers: [...broker.brokers], clientId: 'bench' }),
    stop: async () => {
      for (const child of [...started.values()].reverse()) await stop(child);
      await broker.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** A ready gateway, and the milliseconds from its start until it was ready. */
export interface StartedGateway {
  readonly pid: number;
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Starts another gateway on the database. */
export const startGateway = async (databaseUrl: string): Promise<StartedGateway> => {
  const folder = await makeFolder();
  const own = await common();
  const startedMs = Date.now();
  const env = { ...own, DATABASE_URL: databaseUrl, PENSTOCK_SECRET: SECRET };
  const gateway = startService('api-gateway', env, folder);
  await untilReady(`http://127.0.0.1:${own.PENSTOCK_PORT}`);
  const readyMs = Date.now() - startedMs;
  return {
    pid: pidOf(gateway),
    readyMs,
    stop: async () => {
      await stop(gateway);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** A log in a PostgreSQL of its own, to which the caller writes, and gateways on it. */
export const prepareGateway = async (): Promise<{
  readonly log: MessageLog;
  start(): Promise<StartedGateway>;
  stop(): Promise<void>;
}> => {
  const folder = await makeFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const log = new PostgresMessageLog({ connection: { connectionString: postgres.url } });
  return {
    log,
    start: () => startGateway(postgres.url),
    stop: async () => {
      await log.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
