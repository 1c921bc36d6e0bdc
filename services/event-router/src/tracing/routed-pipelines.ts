import type { PipelineId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { IncomingEvent } from '../routing/incoming-event';
import type { SourceRoutes } from '../routing/source-routes';
import type { Verdict } from './fate';
import type { DestinationId } from '../store/lane-id';

/** A pipeline of a linked destination, as of the event's stamp. */
export interface RoutedPipeline {
  readonly pipeline: PipelineId;
  readonly lane: DestinationId;
  readonly verdict: Verdict;
  /** Undefined: it was disabled. */
  readonly compiled: CompiledPipeline | undefined;
}

/** What the configuration of then says about an event: those that it matches first, in the order of their destinations. */
export const routedPipelines = (
  routes: SourceRoutes,
  { head }: IncomingEvent,
  event: RecordValue,
): readonly RoutedPipeline[] => {
  const optedOut = routes.optedOut(head.integrations);
  const matched = new Set(routes.match(head, event).map(({ pipeline }) => pipeline));
  const verdictOf = (lane: DestinationId, compiled: CompiledPipeline): Verdict => {
    if (matched.has(compiled)) return 'Matched';
    return optedOut.has(lane) ? 'OptedOut' : 'Unmatched';
  };
  const all = routes.lanes.flatMap(({ lane, pipelines, disabled }): RoutedPipeline[] => [
    ...pipelines.map((compiled) => ({
      pipeline: compiled.state.id,
      lane,
      verdict: verdictOf(lane, compiled),
      compiled,
    })),
    ...disabled.map((pipeline) => ({
      pipeline,
      lane,
      verdict: 'Disabled' as const,
      compiled: undefined,
    })),
  ]);
  const isMatch = ({ verdict }: RoutedPipeline): boolean => verdict === 'Matched';
  return [...all.filter(isMatch), ...all.filter((each) => !isMatch(each))];
};
