import { randomUUID } from 'node:crypto';
import type { EndedErasure, ErasureId, SuppressionId, WorkspaceId } from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import type { RunsReplica } from '../intake/runs-replica';
import type { ResolutionReports } from '../resolutions/ended-resolutions';
import type { ExecutorOptions } from '../workers/executor-options';
import { Repeated } from '../workers/repeated';
import type { RunWriters } from '../workers/run-writers';
import { Workers } from '../workers/workers';
import { ErasureIntake } from './erasure-intake';
import type { ErasureStore } from './erasure-store';
import { ErasureWork } from './erasure-work';
import { EndedErasures } from './ended-erasures';

/** Tells the pipeline service about erasures. Both reject when there is no answer: they are to be repeated. */
export interface ErasureReports {
  /** That users are suppressed, who are erased. */
  readonly suppressErased: (
    workspace: WorkspaceId,
    users: readonly SuppressionId[],
  ) => Promise<void>;
  /** How an erasure has ended. */
  readonly endErasure: (workspace: WorkspaceId, end: EndedErasure) => Promise<void>;
}

/** What erasing people depends on. */
export interface ErasuresDependencies
  extends ErasureReports, Pick<ResolutionReports, 'triggerResolution'> {
  readonly store: ErasureStore;
  readonly replica: RunsReplica;
  readonly writers: RunWriters;
  readonly seals: Pick<Seals, 'keyedHash'>;
  readonly options: ExecutorOptions;
  readonly onError: (error: unknown) => void;
}

const FINISH_MS = 500;

/** Takes erasures of people over from the configuration, performs them, and tells how they have ended. */
export class Erasures {
  private readonly workers: Workers<ErasureId, ErasureWork>;
  private readonly intake: ErasureIntake;
  private readonly telling: Repeated;
  private readonly chores: readonly Repeated[];
  private readonly works = new Set<ErasureWork>();

  constructor(private readonly deps: ErasuresDependencies) {
    const { store, replica, options, onError } = deps;
    this.workers = this.workersWith();
    this.intake = new ErasureIntake({
      ...{ store, replica },
      onAccepted: () => {
        this.workers.look();
      },
    });
    const ended = new EndedErasures({
      ...deps,
      isDeleted: (workspace) => replica.workspaceEver(workspace)?.deleted === true,
    });
    this.telling = new Repeated(FINISH_MS, () => ended.tellAll(), onError);
    this.chores = [
      this.telling,
      new Repeated(options.lookMs, () => this.intake.takeAll(), onError),
      new Repeated(options.lookMs, () => this.giveBack(), onError),
    ];
  }

  start(): void {
    this.workers.start();
    for (const chore of this.chores) chore.start();
  }

  /** Resolves when every erasure is in the store that the configuration has as live now. */
  takenOver(): Promise<void> {
    return this.intake.takeAll();
  }

  /** Gives back what is performed here. */
  async stop(): Promise<void> {
    await this.workers.stop();
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  /** Gives back what is erased in a warehouse that may not be written any more: it waits. */
  private giveBack(): Promise<void> {
    for (const work of this.works)
      if (!this.deps.replica.isWritable(work.claimed.workspace)) work.stop();
    return Promise.resolve();
  }

  /** Where the warehouse may be written. */
  private workspaces(): readonly WorkspaceId[] {
    const { replica } = this.deps;
    return [...replica.liveErasures()]
      .map(({ id }) => id)
      .filter((workspace) => replica.isWritable(workspace));
  }

  private workersWith(): Workers<ErasureId, ErasureWork> {
    const { store, seals, options, onError } = this.deps;
    const worker = randomUUID();
    const onEnded = (): void => {
      this.telling.wake();
    };
    const claim = async (heldFromMs: number): Promise<ErasureWork | undefined> => {
      const workspaces = this.workspaces();
      if (workspaces.length === 0) return undefined;
      const claimed = await store.claim(worker, workspaces);
      if (claimed === undefined) return undefined;
      const { keyedHash } = seals;
      const work = new ErasureWork(claimed, { ...this.deps, keyedHash, onEnded }, heldFromMs);
      this.works.add(work);
      void work.done.then(() => this.works.delete(work));
      return work;
    };
    return new Workers(claim, { ...options, places: options.erasures }, onError);
  }
}
