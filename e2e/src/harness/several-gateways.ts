import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { type Cluster, freePorts, startBroker } from '@penstock/local-kafka';
import { startDatabase } from './database';
import { scratchFolder } from './scratch-folder';
import { ServiceProcess } from './service-process';

export interface SeveralGatewaysOptions {
  /** Default 1. */
  readonly pipelineServices?: 1 | 2;
  /** Default: the log is in the database. */
  readonly onKafka?: boolean;
  /** Additional variables of every process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Two gateways in front of pipeline services. */
export class SeveralGateways {
  readonly apiKey = randomBytes(32).toString('hex');
  readonly services: readonly ServiceProcess[];
  readonly gateways: readonly [ServiceProcess, ServiceProcess];
  readonly addresses: readonly [string, string];

  private constructor(
    private readonly folder: string,
    private readonly database: EmbeddedPostgres,
    private readonly cluster: Cluster | undefined,
    [firstPort = 0, secondPort = 0, ...opsPorts]: readonly number[],
    { pipelineServices = 1, env: extra = {} }: SeveralGatewaysOptions,
  ) {
    const common = {
      PENSTOCK_BOOTSTRAP_KEY: this.apiKey,
      PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8',
      PENSTOCK_SECRET: randomBytes(32).toString('hex'),
      DATABASE_URL: database.url,
      LOG_FORMAT: 'json',
      ...(cluster && { KAFKA_BROKERS: cluster.brokers.join(',') }),
      ...extra,
    };
    const service = (name: string, number: number, port: number): ServiceProcess => {
      const opsPort = opsPorts[number] ?? 0;
      const env = {
        ...common,
        PENSTOCK_PORT: String(port),
        PENSTOCK_OPS_PORT: String(opsPort),
      };
      const own = join(folder, `${name}-${String(number)}`);
      return new ServiceProcess({ service: name, folder: own, opsPort, env });
    };
    this.gateways = [service('api-gateway', 0, firstPort), service('api-gateway', 1, secondPort)];
    this.services = [
      ...Array.from({ length: pipelineServices }, (_, n) => service('pipeline-service', 2 + n, 0)),
      ...this.gateways,
    ];
    this.addresses = [
      `http://127.0.0.1:${String(firstPort)}`,
      `http://127.0.0.1:${String(secondPort)}`,
    ];
  }

  static async start(options: SeveralGatewaysOptions = {}): Promise<SeveralGateways> {
    const folder = await scratchFolder();
    const [database, cluster, ports] = await Promise.all([
      startDatabase(folder),
      options.onKafka === true ? startBroker() : undefined,
      freePorts(6),
    ]);
    const installation = new SeveralGateways(folder, database, cluster, ports, options);
    try {
      await Promise.all(installation.services.map((service) => service.start()));
    } catch (error) {
      for (const service of installation.services) process.stderr.write(service.outputTail);
      await installation.destroy();
      throw error;
    }
    return installation;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  async destroy(): Promise<void> {
    await Promise.all(this.services.map((service) => service.destroy()));
    await Promise.all([this.cluster?.stop(), this.database.stop()]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
