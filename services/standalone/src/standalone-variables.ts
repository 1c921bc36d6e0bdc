import { GATEWAY_VARIABLES } from '@penstock/api-gateway';
import { PIPELINE_SERVICE_VARIABLES } from '@penstock/pipeline-service';
import { type Config, PENSTOCK_VARIABLES } from '@penstock/runtime';

/** Those of all the services, read and checked at once. */
export const STANDALONE_VARIABLES = {
  ...PENSTOCK_VARIABLES,
  ...GATEWAY_VARIABLES,
  ...PIPELINE_SERVICE_VARIABLES,
} as const;

export type StandaloneConfig = Config<typeof STANDALONE_VARIABLES>;
