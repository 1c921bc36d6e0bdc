import { GATEWAY_VARIABLES } from '@penstock/api-gateway';
import { PIPELINE_SERVICE_VARIABLES } from '@penstock/pipeline-service';
import { type Config, PENSTOCK_VARIABLES } from '@penstock/runtime';

/** The variables of all services, read and checked together. */
export const STANDALONE_VARIABLES = {
  ...PENSTOCK_VARIABLES,
  ...GATEWAY_VARIABLES,
  ...PIPELINE_SERVICE_VARIABLES,
} as const;

export type StandaloneConfig = Config<typeof STANDALONE_VARIABLES>;
