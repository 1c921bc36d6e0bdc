import type { Connectors } from '@penstock/connectors';
import { Suppressions } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Logger, Seals, SecretBox, Tracing } from '@penstock/runtime';
import type { Registry } from 'prom-client';
import type { BodyShares } from '../http/body-shares';
import { type Rate, TokenBuckets } from '../rates/token-buckets';
import type { CurrentReplica } from '../replica/current-replica';
import { EventHandler, type EventHandlerDependencies } from './event-handler';
import { ExactAppend } from './exact-append';
import { Intake } from './intake';
import { INTAKE_LIMITS, type IntakeLimits } from './intake-limits';
import { IntakeMetrics } from './intake-metrics';
import { Judge } from './judge';
import type { Locations } from './location/locations';
import { type PeerAddress, peerAddress } from './peer-address';
import { Receiver } from './receiver';
import { SettingsHandler } from './settings-handler';
import { Sources } from './sources';

export interface IntakeOptions {
  readonly refusedEvents: EventHandlerDependencies['refusedEvents'];
  /** Identifies this process in traces of events. */
  readonly gateway: string;
  readonly log: MessageLog;
  readonly current: CurrentReplica;
  readonly shares: BodyShares;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly seals: Seals;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  /** Default {@link INTAKE_LIMITS}. */
  readonly limits?: Partial<IntakeLimits>;
  /** Rate of each organization; absent: no limit. */
  readonly eventRate?: Rate | undefined;
  /** CIDR ranges of proxies whose `X-Forwarded-For` is trusted; default: none. */
  readonly trustedProxies?: readonly string[];
  /** Finds the locations of addresses; absent: events keep the location that they were sent with. */
  readonly locations?: Locations | undefined;
  /** Replaces {@link trustedProxies}, e.g. behind a transport that conveys the peer's address in another way. */
  readonly peerAddress?: PeerAddress;
}

export const createIntake = (options: IntakeOptions): Intake => {
  const { log, current, shares, connectors, secrets, seals, logger, eventRate } = options;
  const limits = { ...INTAKE_LIMITS, ...options.limits };
  const sources = new Sources({ current, connectors, secrets, seals });
  const metrics = new IntakeMetrics(options.registry);
  const judge = new Judge({
    current,
    suppressions: new Suppressions(current.replica, (text) => secrets.keyedHash(text)),
    sources,
    peerAddress: options.peerAddress ?? peerAddress(options.trustedProxies ?? []),
    locations: options.locations,
    limits,
    gateway: options.gateway,
    rate: eventRate === undefined ? undefined : new TokenBuckets(eventRate),
  });
  const eventHandler = new EventHandler({
    receiver: new Receiver({ sources, shares, limits }),
    exactAppend: new ExactAppend({ log, current, judge, limits }),
    tracing: options.tracing,
    shares,
    metrics,
    refusedEvents: options.refusedEvents,
  });
  const settingsHandler = new SettingsHandler(sources, current);
  return new Intake({ eventHandler, settingsHandler, metrics, logger });
};
