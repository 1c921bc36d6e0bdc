import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { type Cluster, freePorts, startCluster } from '@penstock/local-kafka';
import {
  KafkaMessageLog,
  type MessageLog,
  PostgresMessageLog,
  PrefixedLog,
} from '@penstock/messaging';
import { startDatabase } from './database';
import { freeze } from './freeze';
import type { Gateway, RouterInstallation } from './router-installation';
import { scratchFolder } from './scratch-folder';
import { ServiceProcess } from './service-process';

type Env = Readonly<Record<string, string>>;

/** The parts that are kept when the log is replaced. */
interface Base {
  readonly folder: string;
  readonly apiKey: string;
  readonly secret: string;
}

/** Size and environment of an installation of several processes. */
export interface SeveralRoutersOptions {
  /** Default 2. */
  readonly gateways?: number;
  /** Default 2. */
  readonly routers?: number;
  /** Default 1. */
  readonly pipelineServices?: number;
  /** Default 1; 0: the log is in the database. */
  readonly brokers?: 0 | 1 | 3;
  /** A cluster that it shares, with a prefix of its own, and does not stop. */
  readonly shared?: { readonly cluster: Cluster; readonly prefix: string };
  /** Additional variables of every process. */
  readonly env?: Env;
}

/** Gateways, routers and pipeline services in processes of their own, over Kafka or over the log in PostgreSQL. */
export class SeveralRouters implements RouterInstallation {
  readonly apiKey: string;
  private readonly own: {
    readonly gateways: Gateway[];
    readonly routers: ServiceProcess[];
    readonly configurations: ServiceProcess[];
    readonly spares: ServiceProcess[];
  } = { gateways: [], routers: [], configurations: [], spares: [] };
  private number = 0;

  private constructor(
    private readonly base: Base,
    private database: EmbeddedPostgres,
    /** Undefined: the log is in the database. */
    readonly cluster: Cluster | undefined,
    private readonly extra: Env,
    private readonly ownsCluster = true,
  ) {
    this.apiKey = base.apiKey;
  }

  /** All processes are started at once, as an orchestrator does. */
  static async start(options: SeveralRoutersOptions = {}): Promise<SeveralRouters> {
    const installation = await SeveralRouters.prepare(options);
    await installation.startServices();
    return installation;
  }

  /** Starts database and log, and none of the services. */
  static async prepare(options: SeveralRoutersOptions = {}): Promise<SeveralRouters> {
    const { gateways = 2, routers = 2, pipelineServices = 1, brokers = 1, env = {} } = options;
    const { shared } = options;
    const folder = await scratchFolder();
    const [cluster, database] = await Promise.all([
      shared?.cluster ?? (brokers === 0 ? undefined : startCluster(brokers)),
      startDatabase(folder),
    ]);
    const base = {
      folder,
      apiKey: randomBytes(32).toString('hex'),
      secret: randomBytes(32).toString('hex'),
    };
    const extra = { ...env, ...(shared && { PENSTOCK_PREFIX: shared.prefix }) };
    const installation = new SeveralRouters(base, database, cluster, extra, !shared);
    await installation.make(gateways, routers, pipelineServices);
    return installation;
  }

  /**
   * Stops its services and makes others over the same database, with the log in Kafka, which are not started. The
   * returned installation owns the database; this one must not be used any more.
   */
  async moveToKafka(): Promise<SeveralRouters> {
    for (const service of this.services) await service.stop();
    const cluster = await startCluster(1);
    const moved = new SeveralRouters(this.base, this.database, cluster, this.extra);
    const { gateways, routers, configurations } = this.own;
    await moved.make(gateways.length, routers.length, configurations.length);
    return moved;
  }

  get address(): string {
    return this.own.gateways[0]?.address ?? '';
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  get gateways(): readonly Gateway[] {
    return this.own.gateways;
  }

  get routers(): readonly ServiceProcess[] {
    return this.own.routers;
  }

  /** The first process that changes the configuration. */
  get configuration(): ServiceProcess {
    const [first] = this.own.configurations;
    if (first === undefined) throw new Error('there is no pipeline service');
    return first;
  }

  get services(): readonly ServiceProcess[] {
    const { gateways, routers, configurations } = this.own;
    return [...configurations, ...routers, ...gateways.map(({ process }) => process)];
  }

  /**
   * Creates a router without starting it.
   *
   * @param env variables in addition to those of the others, or overriding them.
   */
  async makeRouter(env: Env = {}): Promise<ServiceProcess> {
    const [opsPort = 0] = await freePorts(1);
    const router = this.service('event-router', opsPort, 0, env);
    this.own.routers.push(router);
    return router;
  }

  /**
   * Creates another process of a service, by its folder, which is not one of {@link services}.
   *
   * @param env variables in addition to those of the others, or overriding them.
   */
  async makeSpare(service: string, env: Env = {}): Promise<ServiceProcess> {
    const [opsPort = 0, port = 0] = await freePorts(2);
    const spare = this.service(service, opsPort, port, env);
    this.own.spares.push(spare);
    return spare;
  }

  async startExecutor(): Promise<void> {
    const executor = await this.makeSpare('run-executor');
    await executor.start();
  }

  openLog(): MessageLog {
    if (this.cluster === undefined)
      return new PostgresMessageLog({ connection: { connectionString: this.databaseUrl } });
    const whole = new KafkaMessageLog({ brokers: [...this.cluster.brokers], clientId: 'e2e' });
    const { PENSTOCK_PREFIX: prefix } = this.extra;
    return prefix === undefined ? whole : new PrefixedLog(whole, prefix);
  }

  freezeDatabase(): () => void {
    return freeze(this.database.pid);
  }

  /** Stops the database and starts it again on the same port. */
  async restartDatabase(): Promise<void> {
    await this.database.stop();
    await this.startDatabaseAgain();
  }

  /** Kills the database server and starts it again. */
  async killDatabase(): Promise<void> {
    process.kill(this.database.pid, 'SIGKILL');
    await this.database.stop();
    await this.startDatabaseAgain();
  }

  async destroy(): Promise<void> {
    const processes = [...this.services, ...this.own.spares];
    await Promise.all(processes.map((service) => service.destroy()));
    await Promise.all([this.ownsCluster ? this.cluster?.stop() : undefined, this.database.stop()]);
    rmSync(this.base.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  private async startDatabaseAgain(): Promise<void> {
    this.database = await startDatabase(this.base.folder, this.database.port);
  }

  private async make(gateways: number, routers: number, configurations: number): Promise<void> {
    const ports = await freePorts(2 * gateways + configurations);
    for (let each = 0; each < configurations; each += 1)
      this.own.configurations.push(this.service('pipeline-service', ports.pop() ?? 0));
    for (let each = 0; each < gateways; each += 1) {
      const port = ports.pop() ?? 0;
      const service = this.service('api-gateway', ports.pop() ?? 0, port);
      this.own.gateways.push({ address: `http://127.0.0.1:${String(port)}`, process: service });
    }
    for (let each = 0; each < routers; each += 1) await this.makeRouter();
  }

  private service(service: string, opsPort: number, port = 0, env: Env = {}): ServiceProcess {
    this.number += 1;
    const log = this.cluster === undefined ? 'database' : 'kafka';
    return new ServiceProcess({
      service,
      folder: join(this.base.folder, `${log}-${String(this.number)}-${service}`),
      opsPort,
      env: {
        PENSTOCK_BOOTSTRAP_KEY: this.apiKey,
        PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8',
        PENSTOCK_SECRET: this.base.secret,
        PENSTOCK_PORT: String(port),
        PENSTOCK_OPS_PORT: String(opsPort),
        DATABASE_URL: this.database.url,
        LOG_FORMAT: 'json',
        // Specs stop gateways often; those about it set a longer one.
        PENSTOCK_DRAIN_SECONDS: '0',
        ...(this.cluster && { KAFKA_BROKERS: this.cluster.brokers.join(',') }),
        ...this.extra,
        ...env,
      },
    });
  }

  private async startServices(): Promise<void> {
    try {
      await Promise.all(this.services.map((service) => service.start()));
    } catch (error) {
      for (const service of this.services) process.stderr.write(service.outputTail);
      await this.destroy();
      throw error;
    }
  }
}
