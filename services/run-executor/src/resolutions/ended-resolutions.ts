import type { EndedResolution, ResolutionTrigger, WorkspaceId } from '@penstock/contracts';
import type { ExecutorOptions } from '../workers/executor-options';
import { Postponements } from '../workers/postponements';
import type { CancelledResolution, ResolutionStore } from './resolution-store';
import type { Resolvers } from './resolvers';

/** Tells the pipeline service about resolutions. Both reject when there is no answer: they are to be repeated. */
export interface ResolutionReports {
  /** How a resolution has ended. */
  readonly endResolution: (workspace: WorkspaceId, end: EndedResolution) => Promise<void>;
  /** That one is to be started as soon as it may: once for each command, by its id. */
  readonly triggerResolution: (
    workspace: WorkspaceId,
    trigger: ResolutionTrigger,
    full: boolean,
    command: string,
  ) => Promise<void>;
}

/** What finishing resolutions depends on. */
export interface EndedResolutionsDependencies extends ResolutionReports {
  readonly store: Pick<
    ResolutionStore,
    'untold' | 'told' | 'toRetry' | 'retried' | 'takeCancelled' | 'end'
  >;
  readonly resolvers: Pick<Resolvers, 'fence'>;
  /** Whether the workspace is known to be deleted: nobody waits for its ends. */
  readonly isDeleted: (workspace: WorkspaceId) => boolean;
  /** Called when a resolution has ended here. */
  readonly onEnded: () => void;
  readonly options: Pick<ExecutorOptions, 'cancelGraceMs' | 'fenceMs' | 'resolutionRetryMs'>;
  readonly onError: (error: unknown) => void;
}

/** Resolutions that are told at a time. */
const AT_ONCE = 50;
/** Milliseconds until telling is tried again. */
const AGAIN_MS = 10_000;

/** Does what is left to be done for resolutions, whichever process has performed them. */
export class EndedResolutions {
  private readonly postponed = new Postponements<WorkspaceId>();

  constructor(private readonly deps: EndedResolutionsDependencies) {}

  /** Tells how resolutions have ended. */
  async tellAll(): Promise<void> {
    const { store, endResolution } = this.deps;
    const untold = await store.untold(AT_ONCE, this.postponed.list());
    await Promise.all(
      untold.map(({ workspace, ...end }) =>
        this.tell(workspace, async () => {
          if (!this.deps.isDeleted(workspace)) await endResolution(workspace, end);
          await store.told(workspace, end.resolution);
        }),
      ),
    );
  }

  /** Asks for another resolution where one has failed, some time later. */
  async retryAll(): Promise<void> {
    const { store, options, triggerResolution, isDeleted } = this.deps;
    const but = this.postponed.list();
    const failed = await store.toRetry(options.resolutionRetryMs, AT_ONCE, but);
    await Promise.all(
      failed.map(({ workspace, resolution, trigger, full }) =>
        this.tell(workspace, async () => {
          const command = `after resolution ${resolution}`;
          if (!isDeleted(workspace)) await triggerResolution(workspace, trigger, full, command);
          await store.retried(workspace, resolution);
        }),
      ),
    );
  }

  /** Ends those whose cancel was requested and that no worker ends: they wait for one, or their worker is gone. */
  async cancelAll(): Promise<void> {
    const { store, options, onError } = this.deps;
    const taken = await store.takeCancelled(options.cancelGraceMs);
    await Promise.all(taken.map((each) => this.cancel(each).catch(onError)));
  }

  private async tell(workspace: WorkspaceId, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.postponed.postpone(workspace, AGAIN_MS);
      this.deps.onError(error);
    }
  }

  private async cancel({ wasClaimed, ...claim }: CancelledResolution): Promise<void> {
    const { store, resolvers, options, onEnded, onError } = this.deps;
    // A warehouse that does not answer in time cannot be written to by the lost worker either.
    if (wasClaimed) {
      const before = { ...claim, epoch: claim.epoch - 1 };
      await resolvers.fence(before, AbortSignal.timeout(options.fenceMs)).catch(onError);
    }
    await store.end(claim, { status: 'Cancelled', error: '', warnings: null });
    onEnded();
  }
}
