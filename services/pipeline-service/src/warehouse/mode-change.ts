import {
  type Actor,
  type PipelineId,
  Refusal,
  type WarehouseMode,
  type WarehouseState,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Reading, StreamAppend } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { notDeleted } from '../command-handling/existing-workspace';
import { openChange } from '../domain/warehouse.decide';
import { resolutionsEnded, suspendResolutions } from '../live-resolutions/live-resolutions';
import { cancelLive, liveIn, liveUnchanged, runsEnded } from '../live-runs/live-runs';

/** How long a change of the mode waits for the operations that it has cancelled. */
const LIMIT_MS = 15_000;

/** Operations that end soon. */
export interface CancelledOperations {
  readonly runs: readonly PipelineId[];
  readonly resolutions: readonly WorkspaceId[];
}

/** Before it is decided what is cancelled. */
export const NOTHING: CancelledOperations = { runs: [], resolutions: [] };

/** What a change of the mode of a warehouse does to the operations of the workspace. */
interface Cancelled {
  /** What is cancelled: runs of pipelines, and resolutions of workspaces. */
  readonly live: CancelledOperations;
  readonly streams: readonly StreamAppend[];
  readonly verify: (db: EntityManager) => Promise<void>;
}

interface WantedMode {
  readonly workspace: string;
  readonly warehouse: WarehouseState;
  readonly mode: WarehouseMode;
  readonly cancelIncompatibleOperations: boolean;
  readonly actor: Actor;
}

/** Cancels what the new mode forbids. @throws Refusal OperationAlreadyExecuting when it may not. */
export const cancelledBy = async (
  reading: Reading<EntityManager>,
  { workspace, warehouse, mode, cancelIncompatibleOperations, actor }: WantedMode,
): Promise<Cancelled> => {
  const { mode: present } = warehouse;
  const isForbidding = mode !== present && mode !== 'Normal';
  const concerned = isForbidding ? [workspace] : [];
  const runs = await liveIn(reading.db, concerned);
  const resolutions = await suspendResolutions(reading, concerned);
  const isChanging =
    mode !== present && mode === 'Inspection' && openChange(warehouse) !== undefined;
  const isExecuting = runs.length + resolutions.live.length > 0 || isChanging;
  if (isExecuting && !cancelIncompatibleOperations) throw new Refusal('OperationAlreadyExecuting');
  return {
    live: { runs, resolutions: resolutions.live },
    streams: [
      ...(await cancelLive(reading, runs, { reason: 'WarehouseModeChanged', actor, mode })),
      ...resolutions.streams,
    ],
    verify: async (db) => {
      await notDeleted(db, workspace);
      await liveUnchanged(concerned, runs)(db);
      await resolutions.verify(db);
    },
  };
};

/** Resolves when what was cancelled has ended, or after a limit. */
export const operationsEnded = async (
  db: EntityManager,
  { runs, resolutions }: CancelledOperations,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all([
    runsEnded(db, runs, LIMIT_MS, signal),
    resolutionsEnded(db, resolutions, LIMIT_MS, signal),
  ]);
};
