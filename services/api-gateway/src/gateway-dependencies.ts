import type { Connectors, DummyStore } from '@penstock/connectors';
import type { ConnectionId, HistorySource } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Health, Logger, PenstockConfig, SecretBox, Tracing } from '@penstock/runtime';
import type { Warehouses } from '@penstock/warehouses';
import type { Registry } from 'prom-client';
import type { IntakeLimits } from './intake/intake-limits';
import type { PeerAddress } from './intake/peer-address';
import type { PipelineService } from './pipeline-service/pipeline-service';
import type { ApiRate } from './rates/api-rates';
import type { Rate } from './rates/token-buckets';

/** Dependencies of the gateway; the process that starts it chooses the adapters. */
export interface ApiGatewayDependencies {
  readonly config: Pick<
    PenstockConfig,
    'PENSTOCK_HOST' | 'PENSTOCK_PORT' | 'PENSTOCK_TRUSTED_PROXIES'
  > &
    Partial<
      Pick<
        PenstockConfig,
        'PENSTOCK_DEMO' | 'PENSTOCK_GEOIP' | 'PENSTOCK_DRAIN_SECONDS' | 'PENSTOCK_SHUTDOWN_SECONDS'
      >
    >;
  readonly log: MessageLog;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly warehouses: Warehouses;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  /** Receives a check that the configuration has been read. */
  readonly health: Health;
  readonly registry: Registry;
  /** Events and users that the test application received. */
  readonly dummyStore: Pick<DummyStore, 'list' | 'userCounts'>;
  /**
   * The events for this connection, and what becomes of them, are shown on `/demo`: to requests of this machine, and to
   * all with `PENSTOCK_DEMO`.
   */
  readonly demoDestination?: ConnectionId;
  /** Earlier versions of pipelines, for the demo. Without it there is none. */
  readonly history?: Pick<HistorySource, 'pipelineStates'>;
  /** Default: the limits in the specification of intake. */
  readonly limits?: Partial<IntakeLimits>;
  /** Total bytes of the bodies of API requests in progress; default 16 MiB. */
  readonly apiBodyBytes?: number;
  /** Rate of each organization; absent: no limit. */
  readonly eventRate?: Rate;
  /** Rate of API requests; default {@link API_RATE}. */
  readonly apiRate?: ApiRate;
  /** Clients that may watch the live events of a workspace at a time; default {@link LIVE_LISTENERS}. */
  readonly liveListeners?: number;
  /** Interval at which it is checked who may still watch live events; default a second. */
  readonly liveCheckMs?: number;
  /** Replaces the clock for the time for which requests are still accepted when the gateway is closed. */
  readonly drainWait?: (ms: number) => Promise<unknown>;
  /** Replaces the peer address that the configuration of trusted proxies gives. */
  readonly peerAddress?: PeerAddress;
  /** Replaces the pipeline service that is called over the log. */
  readonly pipelineService?: PipelineService;
}
