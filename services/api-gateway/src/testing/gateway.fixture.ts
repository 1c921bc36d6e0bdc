import { type ConfigurationState, type ConnectionId, TOPIC } from '@penstock/contracts';
import { createLogger, Health } from '@penstock/runtime';
import { createWarehouses } from '@penstock/warehouses';
import { Registry } from 'prom-client';
import { createApiGateway, type RunningGateway } from '../create-api-gateway';
import type { ApiGatewayDependencies } from '../gateway-dependencies';
import { connectors, messagesOf, secrets } from './installation.fixture';
import { MemoryLog } from './memory-log.fixture';
import { ScriptedPipelineService } from './scripted-pipeline-service.fixture';

/** A complete gateway on a free port, over a log in memory and a scripted pipeline service. */
export class GatewayStand {
  readonly pipelineService = new ScriptedPipelineService();
  /** JSON texts that the test application pretends to have received. */
  readonly kept = new Map<string, string[]>();
  private gateway: RunningGateway | undefined;
  private position = 0;

  /** @param log shared by the gateways of an installation. */
  constructor(readonly log = new MemoryLog()) {}

  /** Position of the newest state that was published here. */
  get published(): number {
    return this.position;
  }

  /** Publishes states of the configuration. */
  async configure(...states: ConfigurationState[]): Promise<void> {
    for (const state of states) {
      this.position += 1;
      await this.log.append(TOPIC.configurationState, messagesOf(this.position, state));
    }
  }

  async start(more: Partial<ApiGatewayDependencies> = {}): Promise<void> {
    this.gateway = await createApiGateway({
      config: { PENSTOCK_HOST: '127.0.0.1', PENSTOCK_PORT: 0, PENSTOCK_TRUSTED_PROXIES: [] },
      log: this.log,
      connectors,
      secrets,
      warehouses: createWarehouses({ allow: [] }),
      logger: createLogger({ service: 'spec', LOG_LEVEL: 'silent', LOG_FORMAT: 'json' }),
      health: new Health(),
      registry: new Registry(),
      dummyStore: {
        list: (connection: ConnectionId | string) =>
          Promise.resolve(
            (this.kept.get(connection) ?? []).map((body) => ({ idempotencyKey: 'k', body })),
          ),
        userCounts: () => Promise.resolve({ users: 3, created: 1, updated: 4 }),
      },
      pipelineService: this.pipelineService,
      ...more,
    });
  }

  url(path: string): string {
    return `${this.gateway?.address ?? ''}${path}`;
  }

  async stop(): Promise<void> {
    await this.gateway?.close();
  }
}
