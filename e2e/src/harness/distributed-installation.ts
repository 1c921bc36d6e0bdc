import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { type BrokerNode, type Cluster, freePorts, startBroker } from '@penstock/local-kafka';
import { startDatabase } from './database';
import { freeze } from './freeze';
import { type Installation, type Outage, startAll } from './installation';
import { ServiceProcess, type ServiceProcessOptions } from './service-process';

const SERVICES = ['pipeline-service', 'event-router', 'run-executor', 'api-gateway'] as const;

type ServiceName = (typeof SERVICES)[number];

/** How the process of a service is started, as any user. Default: as it was built here, by this user. */
type Launch = (service: ServiceName) => Pick<ServiceProcessOptions, 'command' | 'workingDirectory'>;

/** The database over its port: its socket is in a folder that other users cannot enter. */
const overPort = (url: string): string => {
  const address = new URL(url);
  address.search = '';
  return address.href;
};

/** Of the first workspace: a schema of the same database. */
const warehouseIn = (url: string): Readonly<Record<string, string>> => {
  const address = new URL(overPort(url));
  address.search = '?schema=warehouse&sslmode=disable';
  return { PENSTOCK_WAREHOUSE_URL: address.href };
};

/** Four processes, a Kafka broker and a PostgreSQL. */
export class DistributedInstallation implements Installation {
  readonly apiKey = randomBytes(32).toString('hex');
  readonly address: string;
  private thaw: () => void = () => undefined;
  private isDatabaseGone = false;
  private readonly processes: ReadonlyMap<ServiceName, ServiceProcess>;

  private constructor(
    readonly folder: string,
    private readonly cluster: Cluster,
    private database: EmbeddedPostgres,
    ports: readonly number[],
    extra: Readonly<Record<string, string>>,
    launch: Launch | undefined,
  ) {
    const secret = randomBytes(32).toString('hex');
    const [gatewayPort, ...opsPorts] = ports;
    this.address = `http://127.0.0.1:${String(gatewayPort)}`;
    this.processes = new Map(
      SERVICES.map((service, index) => {
        const opsPort = opsPorts[index] ?? 0;
        const env = {
          PENSTOCK_PORT: String(gatewayPort),
          PENSTOCK_OPS_PORT: String(opsPort),
          PENSTOCK_BOOTSTRAP_KEY: this.apiKey,
          PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8',
          PENSTOCK_SECRET: secret,
          DATABASE_URL: launch ? overPort(database.url) : database.url,
          KAFKA_BROKERS: cluster.brokers.join(','),
          LOG_FORMAT: 'json',
          ...extra,
        };
        return [
          service,
          new ServiceProcess({
            service,
            folder: join(folder, service),
            opsPort,
            env,
            ...launch?.(service),
          }),
        ];
      }),
    );
  }

  /** With a warehouse in the same database. */
  static startWithWarehouse(
    env: Readonly<Record<string, string>> = {},
  ): Promise<DistributedInstallation> {
    return DistributedInstallation.start(env, undefined, warehouseIn);
  }

  /**
   * All services are started at once, as an orchestrator does.
   *
   * @param more variables that depend on the database.
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    launch?: Launch,
    more: (databaseUrl: string) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<DistributedInstallation> {
    const folder = mkdtempSync(join(tmpdir(), 'penstock-e2e-'));
    // As root, the database runs as another user, who must be able to enter the folder.
    chmodSync(folder, 0o711);
    const [cluster, database, ports] = await Promise.all([
      startBroker(),
      startDatabase(folder),
      freePorts(1 + SERVICES.length),
    ]);
    const all = { ...env, ...more(database.url) };
    const installation = new DistributedInstallation(folder, cluster, database, ports, all, launch);
    await startAll(installation);
    return installation;
  }

  get services(): readonly ServiceProcess[] {
    return [...this.processes.values()];
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  get brokers(): readonly string[] {
    return this.cluster.brokers;
  }

  get configuration(): ServiceProcess {
    return this.service('pipeline-service');
  }

  get executor(): ServiceProcess {
    return this.service('run-executor');
  }

  get onTheWay(): readonly ServiceProcess[] {
    return [this.service('event-router'), this.service('api-gateway')];
  }

  restartLog(): Promise<void> {
    return this.broker.restart();
  }

  stopLog(): Promise<void> {
    return this.broker.kill9();
  }

  async resumeLog(): Promise<void> {
    if (this.broker.pid === undefined) await this.broker.restart();
  }

  async stopDatabase(how: Outage = 'frozen'): Promise<void> {
    if (how === 'frozen') {
      this.thaw = freeze(this.database.pid);
      return;
    }
    await this.database.stop();
    this.isDatabaseGone = true;
  }

  async resumeDatabase(): Promise<void> {
    this.thaw();
    this.thaw = () => undefined;
    if (!this.isDatabaseGone) return;
    this.database = await startDatabase(this.folder, Number(new URL(this.database.url).port));
    this.isDatabaseGone = false;
  }

  async destroy(): Promise<void> {
    await this.resumeDatabase();
    await Promise.all(this.services.map((service) => service.destroy()));
    await Promise.all([this.cluster.stop(), this.database.stop()]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  private get broker(): BrokerNode {
    const [node] = this.cluster.nodes;
    if (node === undefined) throw new Error('a cluster has a node');
    return node;
  }

  private service(name: ServiceName): ServiceProcess {
    const found = this.processes.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }
}
