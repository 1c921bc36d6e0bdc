import {
  Refusal,
  type ResolutionFact,
  type WaitingResolution,
  type WorkspaceId,
} from '@penstock/contracts';
import { type Reading, type StreamAppend, VersionConflict } from '@penstock/event-sourcing';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { appendTo, load, loadAll, type Loaded } from '../command-handling/decide-on';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { type Resolution, resolutionDecider, resolutionStream } from '../domain/resolution.decide';
import { ResolutionRow } from '../read-model/resolution.row';

type Reads = Pick<Reading<EntityManager>, 'read'>;
type Verify = (db: EntityManager) => Promise<void>;

const POLL_MS = 100;

/** What was decided about resolutions beside something else, for the append of that. */
export interface Beside {
  readonly streams: readonly StreamAppend[];
  /** @throws VersionConflict when a resolution was started or has ended since the decision, so that it is made again. */
  readonly verify: Verify;
}

export const loadResolution = (
  reading: Reads,
  workspace: string,
): Promise<Loaded<Resolution, ResolutionFact>> =>
  load(reading, resolutionDecider, resolutionStream(workspace));

/** Sorted ids of those of the workspaces whose identities are being resolved. */
const resolvedNow = async (
  db: EntityManager,
  workspaces: readonly string[],
): Promise<readonly WorkspaceId[]> => {
  const where = { id: In([...workspaces]), live: Not(IsNull()) };
  const rows = await db.find(ResolutionRow, { where, select: { id: true }, order: { id: 'ASC' } });
  return rows.map(({ id }) => id as WorkspaceId);
};

/** Suspends the live resolutions of workspaces, as long as something is in their way: they begin again after it. */
export const suspendResolutions = async (
  reading: Reading<EntityManager>,
  workspaces: readonly string[],
): Promise<Beside & { readonly live: readonly WorkspaceId[] }> => {
  const live = await resolvedNow(reading.db, workspaces);
  const all = await loadAll(reading, resolutionDecider, live.map(resolutionStream));
  return {
    live,
    streams: all.map((own) =>
      appendTo(own, resolutionDecider.decide({ type: 'Suspend' }, own.state)),
    ),
    verify: async (db) => {
      const now = await resolvedNow(db, workspaces);
      if (JSON.stringify(now) !== JSON.stringify(live))
        throw new VersionConflict('another resolution was started or has ended');
    },
  };
};

/** Cancels the live resolution of a workspace that is deleted. */
export const closeResolution = async (reading: Reads, workspace: string): Promise<Beside> => {
  const own = await loadResolution(reading, workspace);
  const facts = resolutionDecider.decide({ type: 'Cancel' }, own.state);
  return {
    streams: [appendTo(own, facts)],
    verify: unchangedStreams(facts.length === 0 ? [own] : []),
  };
};

/** @throws Refusal OperationAlreadyExecuting while the identities of the workspace are being resolved. */
export const refuseWhileResolved = async (reading: Reads, workspace: string): Promise<Beside> => {
  const own = await loadResolution(reading, workspace);
  if (own.state?.live) throw new Refusal('OperationAlreadyExecuting');
  return { streams: [], verify: unchangedStreams([own]) };
};

/** Asks for a resolution, which starts once nothing is in its way. */
export const triggerResolution = async (
  reading: Reads,
  id: WorkspaceId,
  wanted: WaitingResolution,
): Promise<StreamAppend> => {
  const own = await loadResolution(reading, id);
  return appendTo(own, resolutionDecider.decide({ type: 'Trigger', id, wanted }, own.state));
};

/**
 * Resolves when the identities of none of the workspaces are being resolved any more, or after the limit: a resolution whose
 * executors are all gone ends when one is back.
 */
export const resolutionsEnded = async (
  db: EntityManager,
  workspaces: readonly WorkspaceId[],
  limitMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const endMs = performance.now() + limitMs;
  while (workspaces.length > 0 && performance.now() < endMs && !signal.aborted) {
    if ((await resolvedNow(db, workspaces)).length === 0) return;
    await pause(POLL_MS);
  }
};
