import type { AlertState, ConfigurationReplica, PipelineId } from '@penstock/contracts';
import type { MeasuredPipeline } from '../store/alerts/alert-store';

/** The configuration that alerts are evaluated by. */
export type AlertedConfiguration = Pick<
  ConfigurationReplica,
  | 'alerts'
  | 'healths'
  | 'workspace'
  | 'connection'
  | 'pipelineHead'
  | 'pipelinesOn'
  | 'pipelinesBefore'
  | 'runControl'
  | 'allRunControls'
>;

/** The pipelines that an alert watches, disabled ones included: what was accepted before is still delivered. */
export function* watchedPipelines(
  { workspace, connection, pipeline }: AlertState,
  configuration: AlertedConfiguration,
): Iterable<MeasuredPipeline> {
  const only = connection === null ? pipeline && [pipeline] : configuration.pipelinesOn(connection);
  const heads =
    only === null
      ? configuration.pipelinesBefore(workspace, undefined, '')
      : only.map((id) => configuration.pipelineHead(id));
  for (const head of heads)
    if (head?.deleted === false && head.workspace === workspace)
      yield { pipeline: head.id, connection: head.connection, workspace };
}

/** The pipelines that must be measured for all alerts, each once. */
export const pipelinesToMeasure = (configuration: AlertedConfiguration): MeasuredPipeline[] => {
  const found = new Map<PipelineId, MeasuredPipeline>();
  for (const alert of configuration.alerts.all())
    if (alert.enabled && alert.alertKind !== 'health')
      for (const each of watchedPipelines(alert, configuration)) found.set(each.pipeline, each);
  return [...found.values()];
};
