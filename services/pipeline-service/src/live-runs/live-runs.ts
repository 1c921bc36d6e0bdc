import { type Actor, instant, type PipelineId, type RunCancel } from '@penstock/contracts';
import { type Reading, type StreamAppend, VersionConflict } from '@penstock/event-sourcing';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { appendTo, loadAll } from '../command-handling/decide-on';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { RunControlRow } from '../read-model/run-control.row';

type Reads = Pick<Reading<EntityManager>, 'read'>;

const POLL_MS = 100;

/** Sorted ids of the pipelines of the workspaces that have a live run. */
export const liveIn = async (
  db: EntityManager,
  workspaces: readonly string[],
): Promise<readonly PipelineId[]> => {
  const where = { workspace: In([...workspaces]), live: Not(IsNull()) };
  const rows = await db.find(RunControlRow, { where, select: { id: true }, order: { id: 'ASC' } });
  return rows.map(({ id }) => id as PipelineId);
};

/** @throws VersionConflict when another run was requested or has ended since the decision, so that it is made again. */
export const liveUnchanged =
  (workspaces: readonly string[], before: readonly PipelineId[]) =>
  async (db: EntityManager): Promise<void> => {
    const now = await liveIn(db, workspaces);
    if (JSON.stringify(now) !== JSON.stringify(before))
      throw new VersionConflict('another run was requested or has ended');
  };

/** The appends that request the cancel of the live runs of the pipelines. */
export const cancelLive = async (
  reading: Reads,
  pipelines: readonly string[],
  cancel: RunCancel,
): Promise<StreamAppend[]> => {
  const controls = await loadAll(reading, runControlDecider, pipelines.map(runControlStream));
  return controls.map((own) => {
    const run = own.state?.live?.run;
    if (run === undefined) return appendTo(own, []);
    return appendTo(own, runControlDecider.decide({ type: 'CancelRun', run, cancel }, own.state));
  });
};

/** What ends the schedules of pipelines that are deleted, and requests the cancel of their live runs. */
interface ClosedRuns {
  readonly streams: readonly StreamAppend[];
  /** @throws VersionConflict when one got another run or schedule since the decision, so that it is made again. */
  readonly verify: (db: EntityManager) => Promise<void>;
}

/** For the append of the change that deletes the pipelines. */
export const closeRuns = async (
  reading: Reads,
  pipelines: readonly string[],
  actor: Actor,
): Promise<ClosedRuns> => {
  const controls = await loadAll(reading, runControlDecider, pipelines.map(runControlStream));
  const command = { type: 'Close', now: instant(new Date()), actor } as const;
  const streams = controls.map((own) =>
    appendTo(own, runControlDecider.decide(command, own.state)),
  );
  return { streams, verify: unchangedStreams(streams.filter(({ facts }) => facts.length === 0)) };
};

/**
 * Resolves when none of the pipelines has a live run any more, or after the limit: a run whose executors are all gone
 * ends when one is back.
 */
export const runsEnded = async (
  db: EntityManager,
  pipelines: readonly PipelineId[],
  limitMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const endMs = performance.now() + limitMs;
  const where = { id: In([...pipelines]), live: Not(IsNull()) };
  while (pipelines.length > 0 && performance.now() < endMs && !signal.aborted) {
    if (!(await db.existsBy(RunControlRow, where))) return;
    await pause(POLL_MS);
  }
};
