import type { HistorySource, PipelineId } from '@penstock/contracts';
import { align } from '@penstock/schema';
import type { Remover, WarehouseWriter } from '@penstock/warehouses';
import { LeaseLost } from '../engine/lease-lost';
import { backoffMs } from '../engine/patience';
import type { RunsReplica } from '../intake/runs-replica';
import type { ResolutionReports } from '../resolutions/ended-resolutions';
import type { ExecutorOptions } from '../workers/executor-options';
import { failureText } from '../workers/failure-text';
import { Lease } from '../workers/lease';
import type { RunWriters } from '../workers/run-writers';
import type { Work } from '../workers/workers';
import { newestVersion } from './newest-version';
import type { ClaimedRemoval, RemovalStore } from './removal-store';
import { leafPaths, writtenSchemaOf } from './written-schema';

/** What a removal is performed with. */
export interface RemovalWorkDependencies extends Pick<ResolutionReports, 'triggerResolution'> {
  readonly store: Pick<RemovalStore, 'renew' | 'release' | 'postpone' | 'change' | 'end' | 'drop'>;
  readonly writers: Pick<RunWriters, 'within' | 'profilesOf'>;
  readonly replica: Pick<RunsReplica, 'pipeline' | 'warehouse'>;
  readonly history: Pick<HistorySource, 'pipelineStates'>;
  readonly options: ExecutorOptions;
  /** Called with what a removal waits for, and with failures of our own. */
  readonly onError: (error: unknown) => void;
}

/** Until the pipeline, or the schema of profiles, is changed again: that may take long. */
const OUTDATED = { backoffBaseMs: 1_000, backoffCapMs: 3_600_000 };

/** What this process knows is not what holds now, or nothing may be cleared by it. */
class Outdated extends Error {}

/** The pipeline service knows of no deletion, as after its database was restored beside an old topic. */
class NotDeleted extends Error {}

/** The process stops, or the warehouse may not be written any more. */
class Stopping extends Error {}

/** One claimed removal, as this process performs it. Whatever fails, what was committed stays and another claim goes on. */
export class RemovalWork implements Work<PipelineId> {
  private readonly control = new AbortController();
  private readonly lease: Lease;
  private hasChanged: boolean;
  readonly done: Promise<void>;

  /** @param heldFromMs of `performance.now()`, before the claim was asked for. */
  constructor(
    readonly claimed: ClaimedRemoval,
    private readonly deps: RemovalWorkDependencies,
    heldFromMs: number,
  ) {
    const { store, options, onError } = deps;
    this.hasChanged = claimed.hasChanged;
    this.lease = new Lease(
      {
        ...options,
        renew: () => store.renew(claimed),
        onLost: (error) => {
          this.control.abort(error);
        },
        onError,
      },
      heldFromMs,
    );
    this.done = this.work()
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) onError(error);
      })
      .finally(() => {
        this.lease.stop();
      });
  }

  get key(): PipelineId {
    return this.claimed.pipeline;
  }

  /** Drops the piece in progress and gives it back. */
  stop(): void {
    this.control.abort(new Stopping('the removal is given back'));
  }

  private async work(): Promise<void> {
    const { store, writers } = this.deps;
    const { signal } = this.control;
    const warehouse = this.settings();
    try {
      const isDone = await writers.within(this.claimed.workspace, signal, (writer) =>
        this.perform(writer),
      );
      signal.throwIfAborted();
      // Another warehouse may be the workspace's by now.
      const isWhole = isDone && this.settings() === warehouse;
      await (isWhole ? store.end(this.claimed) : store.release(this.claimed));
    } catch (error) {
      await this.settle(signal.aborted ? signal.reason : error);
    }
  }

  private settings(): string | undefined {
    return this.deps.replica.warehouse(this.claimed.workspace)?.settings;
  }

  private async settle(cause: unknown): Promise<void> {
    const { store, options, onError } = this.deps;
    const attempts = this.claimed.failures + 1;
    if (cause instanceof LeaseLost) return;
    if (cause instanceof Stopping) return store.release(this.claimed);
    if (cause instanceof Outdated)
      return store.postpone(this.claimed, backoffMs(OUTDATED, attempts), cause.message);
    onError(cause);
    if (cause instanceof NotDeleted) return store.drop(this.claimed);
    await store.postpone(this.claimed, backoffMs(options, attempts), failureText(cause));
  }

  /** @returns false: others have their turn first */
  private async perform(writer: WarehouseWriter): Promise<boolean> {
    const { pipeline, epoch, deleted } = this.claimed;
    const beginning = [{ role: 'removal', epoch }, pipeline] as const;
    if (deleted) {
      await this.insistOnDeletion();
      const remover = await writer.beginRemoval(...beginning);
      return this.removeAll(remover, () => this.change());
    }
    const { version, lost } = this.lostNow();
    const clearer = await writer.beginRemoval(...beginning, lost);
    return this.removeAll(clearer, async () => {
      await this.insistOnVersion(version);
      await this.change();
    });
  }

  /** What is known here may be older than the topic. @throws NotDeleted */
  private async insistOnDeletion(): Promise<void> {
    const { pipeline, workspace } = this.claimed;
    const newest = await newestVersion(this.deps.history, pipeline);
    if (newest?.deleted !== true || newest.workspace !== workspace)
      throw new NotDeleted(`pipeline ${pipeline} was not deleted: nothing of it is removed`);
  }

  /** @throws Outdated */
  private async insistOnVersion(version: number): Promise<void> {
    const newest = await newestVersion(this.deps.history, this.claimed.pipeline);
    if (newest?.version !== version) throw new Outdated('the pipeline was changed');
  }

  /** What is to be cleared, by the newest version of the pipeline that is known here. @throws Outdated */
  private lostNow(): { readonly version: number; readonly lost: readonly string[] } {
    const { replica, writers } = this.deps;
    const { pipeline, workspace, version, lost } = this.claimed;
    const state = replica.pipeline(pipeline);
    const written = state && writtenSchemaOf(state);
    if (written === undefined || state === undefined || state.version < version)
      throw new Outdated('the pipeline was changed');
    // A name may be that of another property by now: what the pipeline has written may have the name of a lost one.
    if (align(written, writers.profilesOf(workspace).schema, null).length > 0)
      throw new Outdated('the pipeline does not fit the schema of profiles');
    const kept = new Set(leafPaths(written));
    return { version: state.version, lost: lost.filter((path) => !kept.has(path)) };
  }

  private async removeAll(remover: Remover, before: () => Promise<void>): Promise<boolean> {
    const untilMs = performance.now() + this.deps.options.resolutionSliceMs;
    // Whoever goes on passes what was cleared before once more: each claim gets further than that.
    for (let hasProgress = false; !hasProgress || performance.now() <= untilMs;) {
      this.control.signal.throwIfAborted();
      const { identities, isLast } = await remover.remove(before);
      hasProgress ||= identities > 0;
      if (isLast) {
        await this.resolve();
        return true;
      }
    }
    return false;
  }

  /** Whoever goes on after a crash finds nothing left, and asks for the resolution all the same. */
  private async change(): Promise<void> {
    this.control.signal.throwIfAborted();
    if (!this.hasChanged) await this.deps.store.change(this.claimed);
    this.hasChanged = true;
  }

  private async resolve(): Promise<void> {
    if (!this.hasChanged) return;
    const { workspace, pipeline, epoch } = this.claimed;
    const command = `after removal ${pipeline} ${String(epoch)}`;
    await this.deps.triggerResolution(workspace, 'Import', false, command);
  }
}
