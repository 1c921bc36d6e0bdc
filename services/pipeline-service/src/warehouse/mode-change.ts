import {
  type PipelineId,
  Refusal,
  type WarehouseMode,
  type WarehouseState,
} from '@penstock/contracts';
import type { Reading, StreamAppend } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { notDeleted } from '../command-handling/existing-workspace';
import { openChange } from '../domain/warehouse.decide';
import { cancelLive, liveIn, liveUnchanged } from '../live-runs/live-runs';

/** How long a change of the mode waits for the operations that it has cancelled. */
export const MODE_CHANGE_LIMIT_MS = 15_000;

/** What a change of the mode of a warehouse does to the operations of the workspace. */
interface Cancelled {
  /** The pipelines whose runs are cancelled. */
  readonly live: readonly PipelineId[];
  readonly streams: readonly StreamAppend[];
  readonly verify: (db: EntityManager) => Promise<void>;
}

interface WantedMode {
  readonly workspace: string;
  readonly warehouse: WarehouseState;
  /** undefined: unchanged. */
  readonly mode: WarehouseMode | undefined;
  readonly cancelIncompatibleOperations: boolean;
}

/** Cancels what the new mode forbids. @throws Refusal OperationAlreadyExecuting when it may not. */
export const cancelledBy = async (
  reading: Reading<EntityManager>,
  { workspace, warehouse, mode = warehouse.mode, cancelIncompatibleOperations }: WantedMode,
): Promise<Cancelled> => {
  const { mode: present } = warehouse;
  const isForbidding = mode !== present && mode !== 'Normal';
  const live = isForbidding ? await liveIn(reading.db, [workspace]) : [];
  const isChanging =
    mode !== present && mode === 'Inspection' && openChange(warehouse) !== undefined;
  if ((live.length > 0 || isChanging) && !cancelIncompatibleOperations)
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
