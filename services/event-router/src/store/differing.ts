import type { PipelineId } from '@penstock/contracts';

interface NumberOf {
  readonly pipeline: PipelineId;
  readonly count: number;
}

/** The pipelines whose numbers of one side do not add up to those of the other. */
export const differing = (
  pipelines: readonly PipelineId[],
  one: readonly NumberOf[],
  other: readonly NumberOf[],
): readonly PipelineId[] => {
  const rest = new Map<PipelineId, number>();
  const add = (pipeline: PipelineId, count: number): void => {
    rest.set(pipeline, (rest.get(pipeline) ?? 0) + count);
  };
  for (const { pipeline, count } of one) add(pipeline, count);
  for (const { pipeline, count } of other) add(pipeline, -count);
  return pipelines.filter((pipeline) => (rest.get(pipeline) ?? 0) !== 0);
};
