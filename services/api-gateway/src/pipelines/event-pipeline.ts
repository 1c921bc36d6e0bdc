import { type PipelineView, Refusal } from '@penstock/contracts';
import type { Caller } from '../auth/caller';
import type { Reads } from '../reads/reads';
import { pipelineId } from './pipeline-id';

/**
 * Reads the pipeline of a path whose events are asked about.
 *
 * @throws Refusal PipelineNotExist, also for a pipeline that no events come to.
 */
export const eventPipeline = (reads: Reads, path: string, caller: Caller): PipelineView => {
  const view = reads.get('GetPipeline', { id: pipelineId(path) }, caller);
  if (view.imports !== undefined) throw new Refusal('PipelineNotExist');
  return view;
};
