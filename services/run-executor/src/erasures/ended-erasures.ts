import type { ErasureId, WorkspaceId } from '@penstock/contracts';
import { Postponements } from '../workers/postponements';
import type { ErasuresDependencies } from './erasures';
import type { UntoldErasure } from './erasure-store';

/** What telling the ends of erasures depends on. */
export interface EndedErasuresDependencies extends Pick<
  ErasuresDependencies,
  'store' | 'endErasure' | 'triggerResolution' | 'onError'
> {
  /** Whether the workspace is known to be deleted: nobody waits for its ends. One that is not known may be new. */
  readonly isDeleted: (workspace: WorkspaceId) => boolean;
}

/** Erasures that are told at a time. */
const AT_ONCE = 50;
/** Milliseconds until telling is tried again. */
const AGAIN_MS = 10_000;

/** Tells how erasures have ended, whichever process has performed them. */
export class EndedErasures {
  private readonly postponed = new Postponements<ErasureId>();

  constructor(private readonly deps: EndedErasuresDependencies) {}

  async tellAll(): Promise<void> {
    const untold = await this.deps.store.untold(AT_ONCE, this.postponed.list());
    await Promise.all(untold.map((each) => this.tell(each)));
  }

  private async tell({ workspace, ...end }: UntoldErasure): Promise<void> {
    const { store, endErasure, triggerResolution, isDeleted, onError } = this.deps;
    try {
      if (!isDeleted(workspace)) {
        // It publishes that the profile is gone.
        await triggerResolution(workspace, 'Erasure', false, `after erasure ${end.erasure}`);
        await endErasure(workspace, end);
      }
      await store.told(end.erasure);
    } catch (error) {
      this.postponed.postpone(end.erasure, AGAIN_MS);
      onError(error);
    }
  }
}
