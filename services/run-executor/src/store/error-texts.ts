import type { RunId, Sealed, WorkspaceId } from '@penstock/contracts';
import { KeyErased, type Seals } from '@penstock/runtime';

const contextOf = (workspace: WorkspaceId, run: RunId): string => `${workspace}/${run}/errors`;

/** Seals and opens what functions have thrown for records of a run: it may hold values. */
export class ErrorTexts {
  constructor(private readonly seals: Pick<Seals, 'seal' | 'open'>) {}

  /** @returns undefined where the key of the workspace is erased. */
  seal(workspace: WorkspaceId, run: RunId, text: string): Sealed | undefined {
    return orErased(() => this.seals.seal(text, workspace, contextOf(workspace, run)));
  }

  /** @returns undefined where the key of the workspace is erased. */
  open(workspace: WorkspaceId, run: RunId, sealed: Sealed): string | undefined {
    return orErased(() => this.seals.open(sealed, workspace, contextOf(workspace, run)));
  }
}

const orErased = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof KeyErased) return undefined;
    throw error;
  }
};
