import type { Connectors, DummyStore } from '@penstock/connectors';
import type { ConnectionId } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Health, Logger, PenstockConfig, SecretBox } from '@penstock/runtime';
import type { Warehouses } from '@penstock/warehouses';
import type { Registry } from 'prom-client';
import type { IntakeLimits } from './intake/intake-limits';
import type { PeerAddress } from './intake/peer-address';
import type { PipelineService } from './pipeline-service/pipeline-service';
import type { ApiRate } from './rates/api-rates';
import type { Rate } from './rates/token-buckets';

/** What the gateway stands on; the one who starts it chooses the adapters. */
export interface ApiGatewayDependencies {
  readonly config: Pick<
    PenstockConfig,
    'PENSTOCK_HOST' | 'PENSTOCK_PORT' | 'PENSTOCK_TRUSTED_PROXIES'
  > &
    Partial<Pick<PenstockConfig, 'PENSTOCK_GEOIP'>>;
  readonly log: MessageLog;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly warehouses: Warehouses;
  readonly logger: Logger;
  /** Gains the check that the configuration has been read. */
  readonly health: Health;
  readonly registry: Registry;
  /** What the test application has taken. */
  readonly dummyStore: Pick<DummyStore, 'list'>;
  /** Deliveries of this connection are shown to everybody on `/demo`. */
  readonly demoDestination?: ConnectionId;
  /** Default: what the specification of intake says. */
  readonly limits?: Partial<IntakeLimits>;
  /** Bytes of all bodies of requests to the API that are under way; default 16 MiB. */
  readonly apiBodyBytes?: number;
  /** Of each organization; absent: none. */
  readonly eventRate?: Rate;
  /** Requests to the API; default {@link API_RATE}. */
  readonly apiRate?: ApiRate;
  /** In place of what the configuration says of proxies. */
  readonly peerAddress?: PeerAddress;
  /** In place of the one that is asked over the log. */
  readonly pipelineService?: PipelineService;
}
