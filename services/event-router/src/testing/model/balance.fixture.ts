import type { PipelineId } from '@penstock/contracts';
import type { World } from './world.fixture';

/**
 * Checks that each matched delivery has ended, is open, waits in a row, or is left to a detached key; holds at any
 * time.
 *
 * @returns the faults.
 */
export const imbalances = async ({ storage, simulation }: World): Promise<string[]> => {
  const [progress, { counts, rows }] = await Promise.all([storage.progress(), storage.stored()]);
  const missing = new Map<PipelineId, number>();
  const add = (pipeline: PipelineId, count: number): void => {
    missing.set(pipeline, (missing.get(pipeline) ?? 0) + count);
  };
  for (const { pipeline, state, count } of counts) if (state === 'Open') add(pipeline, count);
  for (const { pipeline, state } of rows) if (state === 'Waiting') add(pipeline, -1);
  for (const { open, cursors } of progress.values()) {
    for (const { pipeline } of open) add(pipeline, -1);
    for (const { owed } of cursors) for (const [pipeline, count] of owed) add(pipeline, -count);
  }
  return [...missing].flatMap(([pipeline, count]) =>
    count === 0
      ? []
      : [`at ${simulation.nowMs} ms ${count} open deliveries of ${pipeline} are gone`],
  );
};
