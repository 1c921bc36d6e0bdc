import { GATEWAY_VARIABLES } from '@penstock/api-gateway';
import { PIPELINE_SERVICE_VARIABLES } from '@penstock/pipeline-service';
import { RUN_EXECUTOR_VARIABLES } from '@penstock/run-executor';
import { type Config, PENSTOCK_VARIABLES, type PenstockConfig } from '@penstock/runtime';

/** The variables that single services add to those of every process. */
export const STANDALONE_VARIABLES = {
  ...GATEWAY_VARIABLES,
  ...PIPELINE_SERVICE_VARIABLES,
  ...RUN_EXECUTOR_VARIABLES,
  /** No other process takes over the requests of this one; Ctrl-C is to end it at once. */
  PENSTOCK_DRAIN_SECONDS: PENSTOCK_VARIABLES.PENSTOCK_DRAIN_SECONDS.or(0),
} as const;

export type StandaloneConfig = PenstockConfig & Config<typeof STANDALONE_VARIABLES>;
