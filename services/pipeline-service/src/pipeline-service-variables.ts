import type { OrganizationCounts } from '@penstock/contracts';
import { type Config, variable } from '@penstock/runtime';
import { ORGANIZATION_LIMITS } from './command-handling/limits';

const { integer } = variable;

/** All keys of an organization are published in one message. */
const MOST_KEYS = 1_000;
const MOST = 1_000_000;

/** Variables of the limits of an organization, beside those that every process has. */
export const PIPELINE_SERVICE_VARIABLES = {
  PENSTOCK_MAX_CONNECTORS: integer({ min: 1, max: MOST }).or(ORGANIZATION_LIMITS.connectors),
  PENSTOCK_MAX_CONNECTIONS: integer({ min: 1, max: MOST }).or(ORGANIZATION_LIMITS.connections),
  PENSTOCK_MAX_PIPELINES: integer({ min: 1, max: MOST }).or(ORGANIZATION_LIMITS.pipelines),
  PENSTOCK_MAX_WORKSPACES: integer({ min: 1, max: MOST }).or(ORGANIZATION_LIMITS.workspaces),
  PENSTOCK_MAX_KEYS: integer({ min: 1, max: MOST_KEYS }).or(ORGANIZATION_LIMITS.keys),
} as const;

/** The variables as dependencies of the service. */
export const pipelineServiceSettings = (
  config: Config<typeof PIPELINE_SERVICE_VARIABLES>,
): { readonly limits: OrganizationCounts } => ({
  limits: {
    connectors: config.PENSTOCK_MAX_CONNECTORS,
    connections: config.PENSTOCK_MAX_CONNECTIONS,
    pipelines: config.PENSTOCK_MAX_PIPELINES,
    workspaces: config.PENSTOCK_MAX_WORKSPACES,
    keys: config.PENSTOCK_MAX_KEYS,
  },
});
