import { type Config, variable } from '@penstock/runtime';
import type { ApiGatewayDependencies } from './gateway-dependencies';
import { INTAKE_LIMITS, type IntakeLimits, totalsFor } from './intake/intake-limits';
import { API_BYTES } from './http/body-shares';
import { LIVE_LISTENERS, MAX_LISTENERS } from './live/live-listeners';
import { API_RATE, BURST_SECONDS } from './rates/api-rates';
import type { Rate } from './rates/token-buckets';

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_073_741_824;
const { integer } = variable;

const totalBytes = integer({ min: MEBIBYTE, max: 64 * GIBIBYTE });
const perSecond = integer({ min: 1, max: 10_000_000 });
const burst = integer({ min: 1, max: 100_000_000 });

/** Environment variables of the gateway, besides those of every process. */
export const GATEWAY_VARIABLES = {
  PENSTOCK_INTAKE_MAX_BODY_BYTES: integer({ min: 1_024, max: GIBIBYTE }).or(
    INTAKE_LIMITS.maxBodyBytes,
  ),
  PENSTOCK_INTAKE_MAX_EVENT_BYTES: integer({ min: 1_024, max: 500_000 }).or(
    INTAKE_LIMITS.maxEventBytes,
  ),
  PENSTOCK_INTAKE_MAX_EVENTS: integer({ min: 1, max: 1_000_000 }).or(INTAKE_LIMITS.maxEvents),
  PENSTOCK_INTAKE_MAX_DEPTH: integer({ min: 8, max: 512 }).or(INTAKE_LIMITS.maxDepth),
  /** Total bytes of all bodies in progress, including the events made of them; default: 16 bodies of maximal length. */
  PENSTOCK_INTAKE_MAX_TOTAL_BYTES: totalBytes,
  /** The same for bodies that must be read to find their write key; default: 4 bodies of maximal length. */
  PENSTOCK_INTAKE_MAX_KEYLESS_BYTES: totalBytes,
  /** Time limit for the complete body. */
  PENSTOCK_INTAKE_BODY_TIMEOUT_MS: integer({ min: 100, max: 60_000 }).or(
    INTAKE_LIMITS.bodyTimeoutMs,
  ),
  /** Total bytes of the bodies of API requests in progress. */
  PENSTOCK_API_MAX_TOTAL_BYTES: totalBytes.or(API_BYTES),
  /** Events per second of each organization. */
  PENSTOCK_EVENT_RATE: perSecond,
  /** Burst of events of each organization; default: ten seconds of the rate. */
  PENSTOCK_EVENT_BURST: burst,
  /** API requests per second, of each key and of each organization. */
  PENSTOCK_API_KEY_RATE: perSecond.or(API_RATE.key.perSecond),
  PENSTOCK_API_RATE: perSecond.or(API_RATE.organization.perSecond),
  /** Clients that may watch the live events of a workspace at a time. */
  PENSTOCK_LIVE_LISTENERS: integer({ min: 0, max: MAX_LISTENERS }).or(LIVE_LISTENERS),
  /** Bursts of requests; default: ten seconds of the rate. */
  PENSTOCK_API_KEY_BURST: burst,
  PENSTOCK_API_BURST: burst,
} as const;

const limitsOf = (config: Config<typeof GATEWAY_VARIABLES>): Partial<IntakeLimits> => {
  const maxBodyBytes = config.PENSTOCK_INTAKE_MAX_BODY_BYTES;
  const totals = totalsFor(maxBodyBytes);
  const bodyTimeoutMs = config.PENSTOCK_INTAKE_BODY_TIMEOUT_MS;
  return {
    maxBodyBytes,
    maxEventBytes: config.PENSTOCK_INTAKE_MAX_EVENT_BYTES,
    maxEvents: config.PENSTOCK_INTAKE_MAX_EVENTS,
    maxDepth: config.PENSTOCK_INTAKE_MAX_DEPTH,
    maxTotalBytes: config.PENSTOCK_INTAKE_MAX_TOTAL_BYTES ?? totals.maxTotalBytes,
    maxKeylessBytes: config.PENSTOCK_INTAKE_MAX_KEYLESS_BYTES ?? totals.maxKeylessBytes,
    bodyTimeoutMs,
    keylessBodyTimeoutMs: Math.min(INTAKE_LIMITS.keylessBodyTimeoutMs, bodyTimeoutMs),
  };
};

const rateOf = (rate: number, atOnce: number | undefined): Rate => ({
  perSecond: rate,
  burst: atOnce ?? rate * BURST_SECONDS,
});

/** Converts the variables into dependencies of the gateway. */
export const gatewaySettings = (
  config: Config<typeof GATEWAY_VARIABLES>,
): Pick<
  ApiGatewayDependencies,
  'limits' | 'apiBodyBytes' | 'eventRate' | 'apiRate' | 'liveListeners'
> => {
  const { PENSTOCK_EVENT_RATE: eventRate } = config;
  return {
    limits: limitsOf(config),
    apiBodyBytes: config.PENSTOCK_API_MAX_TOTAL_BYTES,
    liveListeners: config.PENSTOCK_LIVE_LISTENERS,
    apiRate: {
      key: rateOf(config.PENSTOCK_API_KEY_RATE, config.PENSTOCK_API_KEY_BURST),
      organization: rateOf(config.PENSTOCK_API_RATE, config.PENSTOCK_API_BURST),
    },
    ...(eventRate !== undefined && {
      eventRate: rateOf(eventRate, config.PENSTOCK_EVENT_BURST),
    }),
  };
};
