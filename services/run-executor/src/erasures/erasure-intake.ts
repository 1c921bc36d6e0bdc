import type { ErasureId } from '@penstock/contracts';
import type { RunsReplica } from '../intake/runs-replica';
import type { ErasureStore } from './erasure-store';

/** What taking erasures over from the configuration depends on. */
export interface ErasureIntakeDependencies {
  readonly store: Pick<ErasureStore, 'accept'>;
  readonly replica: Pick<RunsReplica, 'liveErasures' | 'organizationOf'>;
  /** Called when an erasure can be claimed. */
  readonly onAccepted: () => void;
}

/** Takes the live erasures of the configuration over into the store. */
export class ErasureIntake {
  /** What the store knows. */
  private accepted = new Set<ErasureId>();
  private taking: Promise<void> = Promise.resolve();

  constructor(private readonly deps: ErasureIntakeDependencies) {}

  /** Resolves when everything that is live now is in the store; what was rejected is to be repeated. */
  takeAll(): Promise<void> {
    this.taking = this.taking.catch(() => undefined).then(() => this.take());
    return this.taking;
  }

  private async take(): Promise<void> {
    const { store, replica, onAccepted } = this.deps;
    const accepted = new Set<ErasureId>();
    for (const { id: workspace, live } of replica.liveErasures()) {
      const organization = replica.organizationOf(workspace);
      if (organization === undefined) continue;
      for (const { actor: _, ...requested } of live) {
        accepted.add(requested.erasure);
        if (this.accepted.has(requested.erasure)) continue;
        await store.accept({ ...requested, workspace, organization });
        this.accepted.add(requested.erasure);
        onAccepted();
      }
    }
    this.accepted = accepted;
  }
}
