import { type Config, variable } from '@penstock/runtime';
import type { ApiGatewayDependencies } from './gateway-dependencies';
import { INTAKE_LIMITS } from './intake/intake-limits';

const GIBIBYTE = 1_073_741_824;
const { integer } = variable;

/** What an operator may set about intake, beside what is common to every process. */
export const GATEWAY_VARIABLES = {
  PENSTOCK_INTAKE_MAX_BODY_BYTES: integer({ min: 1_024, max: GIBIBYTE }).or(
    INTAKE_LIMITS.maxBodyBytes,
  ),
  PENSTOCK_INTAKE_MAX_EVENT_BYTES: integer({ min: 1_024, max: 500_000 }).or(
    INTAKE_LIMITS.maxEventBytes,
  ),
  PENSTOCK_INTAKE_MAX_EVENTS: integer({ min: 1, max: 1_000_000 }).or(INTAKE_LIMITS.maxEvents),
  PENSTOCK_INTAKE_MAX_DEPTH: integer({ min: 8, max: 512 }).or(INTAKE_LIMITS.maxDepth),
  /** Events a second of each workspace. */
  PENSTOCK_EVENT_RATE: integer({ min: 1, max: 10_000_000 }),
  /** Events at once of each workspace; default: ten seconds of the rate. */
  PENSTOCK_EVENT_BURST: integer({ min: 1, max: 100_000_000 }),
} as const;

const BURST_SECONDS = 10;

/** The same as dependencies of the gateway. */
export const gatewaySettings = (
  config: Config<typeof GATEWAY_VARIABLES>,
): Pick<ApiGatewayDependencies, 'limits' | 'eventRate'> => {
  const { PENSTOCK_EVENT_RATE: perSecond, PENSTOCK_EVENT_BURST: burst } = config;
  return {
    limits: {
      maxBodyBytes: config.PENSTOCK_INTAKE_MAX_BODY_BYTES,
      maxEventBytes: config.PENSTOCK_INTAKE_MAX_EVENT_BYTES,
      maxEvents: config.PENSTOCK_INTAKE_MAX_EVENTS,
      maxDepth: config.PENSTOCK_INTAKE_MAX_DEPTH,
    },
    ...(perSecond !== undefined && {
      eventRate: { perSecond, burst: burst ?? perSecond * BURST_SECONDS },
    }),
  };
};
