import { type PipelineId, Refusal, type WarehouseMode } from '@penstock/contracts';
import type { Reading, StreamAppend } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { notDeleted } from '../command-handling/existing-workspace';
import { cancelLive, liveIn, liveUnchanged } from '../live-runs/live-runs';

/** How long a change of the mode waits for the runs that it has cancelled. */
export const MODE_CHANGE_LIMIT_MS = 15_000;

/** What a change of the mode of a warehouse does to the runs of the workspace. */
interface CancelledRuns {
  /** The pipelines whose runs are cancelled. */
  readonly live: readonly PipelineId[];
  readonly streams: readonly StreamAppend[];
  readonly verify: (db: EntityManager) => Promise<void>;
}

interface WantedMode {
  readonly workspace: string;
  readonly present: WarehouseMode;
  /** undefined: unchanged. */
  readonly mode: WarehouseMode | undefined;
  readonly cancelIncompatibleOperations: boolean;
}

/** Cancels what the new mode forbids. @throws Refusal OperationAlreadyExecuting when it may not. */
export const runsCancelledBy = async (
  reading: Reading<EntityManager>,
  { workspace, present, mode = present, cancelIncompatibleOperations }: WantedMode,
): Promise<CancelledRuns> => {
  const isForbidding = mode !== present && mode !== 'Normal';
  const live = isForbidding ? await liveIn(reading.db, [workspace]) : [];
  if (live.length > 0 && !cancelIncompatibleOperations)
    throw new Refusal('OperationAlreadyExecuting');
  return {
    live,
    streams: await cancelLive(reading, live, 'WarehouseModeChanged'),
    verify: async (db) => {
      await notDeleted(db, workspace);
      if (isForbidding) await liveUnchanged([workspace], live)(db);
    },
  };
};
