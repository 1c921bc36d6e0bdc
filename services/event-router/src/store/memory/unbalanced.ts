import type { PipelineId } from '@penstock/contracts';
import { differing } from '../differing';
import type { CheckedPipeline } from '../router-store';
import type { MemoryDatabase } from './memory-database';

/** The pipelines whose counted open deliveries are not those that are open. */
export const unbalancedInMemory = (
  database: MemoryDatabase,
  checked: readonly CheckedPipeline[],
): readonly PipelineId[] => {
  const pipelines = checked.map(({ pipeline }) => pipeline);
  const counted = database.pipelineCounts.filter(({ state }) => state === 'Open');
  const waiting = database.rows.filter(({ state }) => state === 'Waiting');
  const open = database.partitions.flatMap(([, { progress }]) => [
    ...progress.open,
    ...progress.cursors.flatMap(({ owed }) =>
      [...owed].map(([pipeline, count]) => ({ pipeline, count })),
    ),
  ]);
  const single = [...waiting, ...open].map((each) => ({
    pipeline: each.pipeline,
    count: 'count' in each ? each.count : 1,
  }));
  return differing(pipelines, counted, single);
};
