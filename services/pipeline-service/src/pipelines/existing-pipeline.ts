import { type PipelineFact, Refusal, type RequestContext } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { checkVersion } from '../command-handling/check-version';
import { load, type Loaded } from '../command-handling/decide-on';
import { type Pipeline, pipelineDecider, pipelineStream } from '../domain/pipeline.decide';

export type ExistingPipeline = Loaded<Pipeline, PipelineFact> & {
  readonly pipeline: NonNullable<Pipeline>;
};

/**
 * Loads a pipeline of the workspace and checks the version that the caller expects.
 *
 * @throws Refusal PipelineNotExist, Conflict
 */
export const existingPipeline = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  context: Pick<RequestContext, 'workspace' | 'expectedVersion'>,
): Promise<ExistingPipeline> => {
  const own = await load(reading, pipelineDecider, pipelineStream(id));
  if (own.state === null || own.state.deleted || own.state.workspace !== context.workspace)
    throw new Refusal('PipelineNotExist');
  checkVersion(context, own.version);
  return { ...own, pipeline: own.state };
};
