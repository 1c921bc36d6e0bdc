import type { HistorySource, PipelineId, PipelineState } from '@penstock/contracts';

const END = Number.MAX_SAFE_INTEGER;

/**
 * Asks the pipeline service for the newest version of a pipeline, whatever this process knows.
 *
 * @returns undefined when there never was one.
 */
export const newestVersion = async (
  history: Pick<HistorySource, 'pipelineStates'>,
  pipeline: PipelineId,
): Promise<Pick<PipelineState, 'workspace' | 'version' | 'deleted'> | undefined> =>
  (await history.pipelineStates(pipeline, END - 1, END)).at(-1)?.state;
