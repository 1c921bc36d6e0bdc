import type { Sealed, WorkspaceId } from '@penstock/contracts';
import { KeyErased, type Seals } from '@penstock/runtime';
import type { SharedValue } from '@penstock/warehouses';

const contextOf = (workspace: WorkspaceId): string => `${workspace}/resolution-warnings`;

/** Seals and opens what a resolution warns of: it names values of users. */
export class ResolutionWarnings {
  constructor(private readonly seals: Pick<Seals, 'seal' | 'open'>) {}

  /** @throws KeyErased */
  seal(workspace: WorkspaceId, warnings: readonly SharedValue[]): Sealed {
    return this.seals.seal(JSON.stringify(warnings), workspace, contextOf(workspace));
  }

  /** None where the workspace's key was erased: the workspace was deleted. @param sealed `null`: there are none. */
  open(workspace: WorkspaceId, sealed: Sealed | null): readonly SharedValue[] {
    if (sealed === null) return [];
    try {
      return JSON.parse(
        this.seals.open(sealed, workspace, contextOf(workspace)),
      ) as readonly SharedValue[];
    } catch (error) {
      if (error instanceof KeyErased) return [];
      throw error;
    }
  }
}
