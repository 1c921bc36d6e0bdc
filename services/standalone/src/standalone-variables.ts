import { GATEWAY_VARIABLES } from '@penstock/api-gateway';
import { PIPELINE_SERVICE_VARIABLES } from '@penstock/pipeline-service';
import { type Config, PENSTOCK_VARIABLES } from '@penstock/runtime';

/** The variables of all services, read and checked together. */
export const STANDALONE_VARIABLES = {
  ...PENSTOCK_VARIABLES,
  ...GATEWAY_VARIABLES,
  ...PIPELINE_SERVICE_VARIABLES,
  /** No other process takes over the requests of this one; Ctrl-C is to end it at once. */
  PENSTOCK_DRAIN_SECONDS: PENSTOCK_VARIABLES.PENSTOCK_DRAIN_SECONDS.or(0),
} as const;

export type StandaloneConfig = Config<typeof STANDALONE_VARIABLES>;
