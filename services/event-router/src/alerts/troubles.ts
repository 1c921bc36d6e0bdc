import {
  type ConnectionId,
  type HealthState,
  healthOfRuns,
  type PipelineId,
  type RunControlState,
} from '@penstock/contracts';
import type { AlertedConfiguration } from './watched-pipelines';

/** The health of an object, as alerts see it. */
export interface KnownHealth extends Pick<HealthState, 'subject' | 'id' | 'workspace' | 'code'> {
  readonly since: HealthState['since'] | null;
}

const ofRuns = (control: RunControlState): KnownHealth => {
  const { id, workspace } = control;
  const { code, since } = healthOfRuns(control);
  // A pipeline that has not run yet has no trouble.
  return { subject: 'pipeline', id, workspace, code: code === 'NeverRun' ? '' : code, since };
};

/** Those of one object that are known: of its deliveries, as it was recorded, and of its runs. */
export const healthsOf = (
  id: ConnectionId | PipelineId,
  configuration: Pick<AlertedConfiguration, 'healths' | 'runControl'>,
): readonly KnownHealth[] => {
  const recorded = configuration.healths.get(id);
  const control = configuration.runControl(id);
  return [...(control ? [ofRuns(control)] : []), ...(recorded ? [recorded] : [])];
};

/** All troubles, one of each object: a failed run is as bad as the health of a pipeline can be. */
export function* troublesOf({
  healths,
  runControls,
}: {
  readonly healths: Pick<AlertedConfiguration['healths'], 'troubles'>;
  readonly runControls: Iterable<RunControlState>;
}): Iterable<KnownHealth> {
  const failed = new Set<string>();
  for (const control of runControls) {
    const health = ofRuns(control);
    if (health.code === '') continue;
    failed.add(health.id);
    yield health;
  }
  for (const recorded of healths.troubles()) if (!failed.has(recorded.id)) yield recorded;
}
