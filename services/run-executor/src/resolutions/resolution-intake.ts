import type { OrganizationId, ResolutionId, WorkspaceId } from '@penstock/contracts';
import type { LiveResolutionState, RunsReplica } from '../intake/runs-replica';
import type { ResolutionStore } from './resolution-store';

/** What taking resolutions over from the configuration depends on. */
export interface ResolutionIntakeDependencies {
  readonly store: Pick<ResolutionStore, 'accept' | 'requestCancel'>;
  readonly replica: Pick<RunsReplica, 'liveResolutions' | 'organizationOf' | 'isWritable'>;
  /** Called when a resolution can be claimed. */
  readonly onAccepted: () => void;
  /** Called when a resolution is to be cancelled, again and again until it has ended. */
  readonly onCancel: (workspace: WorkspaceId, resolution: ResolutionId) => void;
}

/** Takes the live resolutions of the configuration over into the store, and that they are to be cancelled. */
export class ResolutionIntake {
  /** What the store knows, by workspace. */
  private readonly accepted = new Map<WorkspaceId, ResolutionId>();
  private readonly cancelled = new Map<WorkspaceId, ResolutionId>();
  private taking: Promise<void> = Promise.resolve();

  constructor(private readonly deps: ResolutionIntakeDependencies) {}

  /** Resolves when everything that is live now is in the store; what was rejected is to be repeated. */
  takeAll(): Promise<void> {
    this.taking = this.taking.catch(() => undefined).then(() => this.take());
    return this.taking;
  }

  private async take(): Promise<void> {
    const live = [...this.deps.replica.liveResolutions()];
    for (const state of live) await this.takeOne(state);
    const ids = new Set(live.map(({ id }) => id));
    for (const known of [this.accepted, this.cancelled])
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  }

  private async takeOne(state: LiveResolutionState): Promise<void> {
    const { id, live } = state;
    const { store, replica, onCancel } = this.deps;
    const isCancelled = live.cancelled || !replica.isWritable(id);
    const organization = replica.organizationOf(id);
    // One of a deleted workspace is ended, but not taken over.
    if (organization !== undefined && this.accepted.get(id) !== live.resolution)
      await this.accept(state, organization, isCancelled);
    if (!isCancelled) return;
    onCancel(id, live.resolution);
    if (this.cancelled.get(id) === live.resolution) return;
    await store.requestCancel(id, live.resolution);
    this.cancelled.set(id, live.resolution);
  }

  private async accept(
    { id, version, live }: LiveResolutionState,
    organization: OrganizationId,
    isCancelled: boolean,
  ): Promise<void> {
    const { resolution, trigger, full, startedAt } = live;
    const { store, onAccepted } = this.deps;
    const about = { resolution, version, trigger, full, startedAt, isCancelled };
    await store.accept({ workspace: id, organization, ...about });
    this.accepted.set(id, resolution);
    onAccepted();
  }
}
