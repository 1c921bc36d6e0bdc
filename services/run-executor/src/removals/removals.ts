import { randomUUID } from 'node:crypto';
import type { HistorySource, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { RunIntake } from '../intake/run-intake';
import type { RunsReplica } from '../intake/runs-replica';
import type { ResolutionReports } from '../resolutions/ended-resolutions';
import type { ExecutorOptions } from '../workers/executor-options';
import { Repeated } from '../workers/repeated';
import type { RunWriters } from '../workers/run-writers';
import { Workers } from '../workers/workers';
import { RemovalIntake } from './removal-intake';
import type { ClaimedRemoval, RemovalStore } from './removal-store';
import { RemovalWork } from './removal-work';

/** What removing what pipelines have written depends on. */
export interface RemovalsDependencies extends Pick<ResolutionReports, 'triggerResolution'> {
  readonly store: RemovalStore;
  readonly replica: RunsReplica;
  readonly runs: Pick<RunIntake, 'flushed'>;
  readonly writers: RunWriters;
  readonly history: Pick<HistorySource, 'pipelineStates'>;
  readonly options: ExecutorOptions;
  readonly onError: (error: unknown) => void;
}

/** Looks that are left out after one that has found nothing: it goes through all workspaces where something waits. */
const REST_LOOKS = 8;

/**
 * Takes pipelines over from the configuration, and removes what deleted ones have written, and what those that were updated
 * write no more.
 */
export class Removals {
  private readonly workers: Workers<PipelineId, RemovalWork>;
  private readonly chores: readonly Repeated[];
  private readonly works = new Set<RemovalWork>();
  /** When this process has last claimed something of a workspace, so that no backlog is always the next one. */
  private readonly turns = new Map<WorkspaceId, number>();
  /** Of `performance.now()`. */
  private restUntilMs = 0;

  constructor(private readonly deps: RemovalsDependencies) {
    const { options, onError } = deps;
    this.workers = this.workersWith();
    const intake = new RemovalIntake(deps);
    this.chores = [
      new Repeated(options.lookMs, () => intake.takeAll(), onError),
      new Repeated(options.lookMs, () => this.giveBack(), onError),
    ];
  }

  start(): void {
    this.workers.start();
    for (const chore of this.chores) chore.start();
  }

  /** Gives back what is performed here. */
  async stop(): Promise<void> {
    await this.workers.stop();
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  /** Gives back what is removed from a warehouse that may not be written any more: it waits. */
  private giveBack(): Promise<void> {
    for (const work of this.works)
      if (!this.deps.replica.isWritable(work.claimed.workspace)) work.stop();
    return Promise.resolve();
  }

  /** Those whose warehouse may be written. */
  private byTurns(due: readonly WorkspaceId[]): readonly WorkspaceId[] {
    const turnOf = (workspace: WorkspaceId): number => this.turns.get(workspace) ?? 0;
    return due
      .filter((workspace) => this.deps.replica.isWritable(workspace))
      .sort((one, other) => turnOf(one) - turnOf(other));
  }

  private async claimNext(worker: string, nowMs: number): Promise<ClaimedRemoval | undefined> {
    const { store, options } = this.deps;
    if (nowMs < this.restUntilMs) return undefined;
    const workspaces = this.byTurns(await store.due());
    const claimed = workspaces.length === 0 ? undefined : await store.claim(worker, workspaces);
    if (claimed === undefined) this.restUntilMs = nowMs + options.lookMs * REST_LOOKS;
    return claimed;
  }

  private workersWith(): Workers<PipelineId, RemovalWork> {
    const { options, onError } = this.deps;
    const worker = randomUUID();
    const claim = async (heldFromMs: number): Promise<RemovalWork | undefined> => {
      const claimed = await this.claimNext(worker, heldFromMs);
      if (claimed === undefined) return undefined;
      this.turns.set(claimed.workspace, heldFromMs);
      const work = new RemovalWork(claimed, this.deps, heldFromMs);
      this.works.add(work);
      void work.done.then(() => this.works.delete(work));
      return work;
    };
    return new Workers(claim, { ...options, places: options.removals }, onError);
  }
}
