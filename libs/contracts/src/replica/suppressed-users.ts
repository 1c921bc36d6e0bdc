import type { SuppressionId } from '../ids';
import type { SuppressionState } from '../state';

const NOBODY: ReadonlySet<SuppressionId> = new Set();

/** Who is suppressed now, by workspace. */
export class SuppressedUsers {
  private readonly users = new Map<string, Set<SuppressionId>>();
  private newest = 0;

  /** Position of the newest change; 0 when there was none. */
  get from(): number {
    return this.newest;
  }

  in(workspace: string): ReadonlySet<SuppressionId> {
    return this.users.get(workspace) ?? NOBODY;
  }

  apply(position: number, { id, workspace, suppressed }: SuppressionState): void {
    const ids = this.users.get(workspace) ?? new Set();
    if (suppressed) ids.add(id);
    else ids.delete(id);
    this.users.set(workspace, ids);
    this.newest = Math.max(this.newest, position);
  }
}
