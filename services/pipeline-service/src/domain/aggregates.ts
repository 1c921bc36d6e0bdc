import type { ConfigurationFact, ConfigurationState } from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';
import { alertDecider } from './alert.decide';
import { connectionDecider } from './connection.decide';
import { erasureDecider } from './erasure.decide';
import { healthDecider } from './health.decide';
import { organizationDecider } from './organization.decide';
import { pipelineDecider } from './pipeline.decide';
import { resolutionDecider } from './resolution.decide';
import { runControlDecider } from './run-control.decide';
import { suppressionDecider } from './suppression.decide';
import { warehouseDecider } from './warehouse.decide';
import { workspaceDecider } from './workspace.decide';

/** The initial state of an object and the effect of its facts. */
export type Aggregate = Pick<
  Decider<ConfigurationState | null, never, ConfigurationFact>,
  'initial' | 'evolve'
>;

const AGGREGATES = {
  organization: organizationDecider,
  workspace: workspaceDecider,
  connection: connectionDecider,
  pipeline: pipelineDecider,
  warehouse: warehouseDecider,
  suppression: suppressionDecider,
  health: healthDecider,
  runs: runControlDecider,
  resolution: resolutionDecider,
  erasure: erasureDecider,
  alert: alertDecider,
} satisfies Record<ConfigurationState['kind'], unknown>;

/** Finds the aggregate of a stream. @returns undefined for a stream of an unknown kind. */
export const aggregateOf = (stream: string): Aggregate | undefined => {
  const kind = stream.slice(0, stream.indexOf('-'));
  return Object.hasOwn(AGGREGATES, kind)
    ? (AGGREGATES[kind as keyof typeof AGGREGATES] as unknown as Aggregate)
    : undefined;
};
