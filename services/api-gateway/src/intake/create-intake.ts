import type { Connectors } from '@penstock/connectors';
import { type ConfigurationPicture, Suppressions } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { type Logger, Seals, type SecretBox } from '@penstock/runtime';
import type { Registry } from 'prom-client';
import type { CatchUp } from '../configuration/catch-up';
import { type Rate, TokenBuckets } from '../rates/token-buckets';
import { EventDoor } from './event-door';
import { Intake } from './intake';
import { INTAKE_LIMITS, type IntakeLimits } from './intake-limits';
import { IntakeMetrics } from './intake-metrics';
import { type PeerAddress, peerAddress } from './peer-address';
import { SettingsDoor } from './settings-door';
import { Sources } from './sources';

export interface IntakeOptions {
  readonly log: MessageLog;
  readonly picture: ConfigurationPicture;
  readonly catchUp: CatchUp;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Default {@link INTAKE_LIMITS}. */
  readonly limits?: Partial<IntakeLimits>;
  /** Of each organization; absent: none. */
  readonly eventRate?: Rate | undefined;
  /** CIDR ranges of proxies whose `X-Forwarded-For` is believed; none by default. */
  readonly trustedProxies?: readonly string[];
  /** In place of what {@link trustedProxies} says, e.g. behind a transport that tells the peer otherwise. */
  readonly peerAddress?: PeerAddress;
}

export const createIntake = (options: IntakeOptions): Intake => {
  const { log, picture, catchUp, connectors, secrets, logger, eventRate } = options;
  const seals = new Seals(secrets, (workspace) => picture.dataKey(workspace));
  const sources = new Sources({ picture, connectors, secrets, seals, catchUp });
  const metrics = new IntakeMetrics(options.registry);
  const eventDoor = new EventDoor({
    log,
    picture,
    suppressions: new Suppressions(picture, (text) => secrets.keyedHash(text)),
    sources,
    metrics,
    peerAddress: options.peerAddress ?? peerAddress(options.trustedProxies ?? []),
    limits: { ...INTAKE_LIMITS, ...options.limits },
    rate: eventRate === undefined ? undefined : new TokenBuckets(eventRate),
  });
  return new Intake({ eventDoor, settingsDoor: new SettingsDoor(sources), metrics, logger });
};
