import { randomUUID } from 'node:crypto';
import type { WorkspaceId } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Seals } from '@penstock/runtime';
import type { RunsReplica } from '../intake/runs-replica';
import type { ExecutorOptions } from '../workers/executor-options';
import { Repeated } from '../workers/repeated';
import type { RunWriters } from '../workers/run-writers';
import { Workers } from '../workers/workers';
import { EventLooks } from './event-looks';
import { EndedResolutions, type ResolutionReports } from './ended-resolutions';
import type { PendingLooks } from './pending-looks';
import { ResolutionIntake } from './resolution-intake';
import type { ResolutionStore } from './resolution-store';
import { ResolutionWarnings } from './resolution-warnings';
import { ResolutionWork, type ResolutionWorkDependencies } from './resolution-work';
import { Resolvers } from './resolvers';

/** What resolving depends on. */
export interface ResolutionsDependencies extends ResolutionReports {
  readonly store: ResolutionStore;
  readonly replica: RunsReplica;
  readonly writers: RunWriters;
  readonly looks: PendingLooks;
  readonly seals: Seals;
  readonly log: Pick<MessageLog, 'append'>;
  readonly options: ExecutorOptions;
  readonly onError: (error: unknown) => void;
}

const FINISH_MS = 500;
const RETRY_MS = 10_000;
const LOOK_MS = 1_000;

/** Takes resolutions of identities over from the configuration, performs them, and tells how they have ended. */
export class Resolutions {
  private readonly workers: Workers<WorkspaceId, ResolutionWork>;
  private readonly intake: ResolutionIntake;
  private readonly events: EventLooks;
  private readonly telling: Repeated;
  private readonly chores: readonly Repeated[];

  constructor(dependencies: ResolutionsDependencies) {
    const { store, replica, options, onError } = dependencies;
    const resolvers = new Resolvers(dependencies);
    this.workers = this.workersWith(resolvers, dependencies);
    this.intake = new ResolutionIntake({
      store,
      replica,
      onAccepted: () => {
        this.workers.look();
      },
      onCancel: (workspace, resolution) => {
        const work = this.workers.of(workspace);
        if (work?.claimed.resolution === resolution) work.cancel();
      },
    });
    const ended = new EndedResolutions({
      ...dependencies,
      resolvers,
      isDeleted: (workspace) => replica.workspaceEver(workspace)?.deleted === true,
      onEnded: this.onEnded,
    });
    this.events = new EventLooks(dependencies);
    this.telling = new Repeated(FINISH_MS, () => ended.tellAll(), onError);
    this.chores = [
      this.telling,
      new Repeated(options.lookMs, () => this.intake.takeAll(), onError),
      new Repeated(options.lookMs, () => ended.cancelAll(), onError),
      new Repeated(LOOK_MS, () => this.events.lookAll(), onError),
      new Repeated(Math.min(RETRY_MS, options.resolutionRetryMs), () => ended.retryAll(), onError),
    ];
  }

  start(): void {
    this.workers.start();
    for (const chore of this.chores) chore.start();
  }

  /** Resolves when every resolution is in the store that the configuration has as live now. */
  takenOver(): Promise<void> {
    return this.intake.takeAll();
  }

  /** Takes note of workspaces in which routers have written identities. */
  noteIdentities(workspaces: readonly WorkspaceId[]): Promise<void> {
    return this.events.note(workspaces);
  }

  /** Gives back what is performed here. */
  async stop(): Promise<void> {
    await this.workers.stop();
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  /** Another one may start as soon as the pipeline service knows. */
  private readonly onEnded = (): void => {
    this.telling.wake();
  };

  private workersWith(
    resolvers: Resolvers,
    { store, log, seals, options, onError }: ResolutionsDependencies,
  ): Workers<WorkspaceId, ResolutionWork> {
    const worker = randomUUID();
    const dependencies: ResolutionWorkDependencies = {
      ...{ store, resolvers, log, options, onError },
      warnings: new ResolutionWarnings(seals),
      onEnded: this.onEnded,
    };
    const claim = async (heldFromMs: number): Promise<ResolutionWork | undefined> => {
      const claimed = await store.claim(worker);
      return claimed && new ResolutionWork(claimed, dependencies, heldFromMs);
    };
    return new Workers(claim, { ...options, places: options.resolutions }, onError);
  }
}
