import type { SuppressionId } from '../ids';
import { isOfUser } from './suppressions';
import type { SuppressionState } from '../state';

const NOBODY: ReadonlySet<SuppressionId> = new Set();

/** Who is suppressed now, by workspace. */
export class SuppressedUsers {
  private readonly users = new Map<string, Set<SuppressionId>>();
  private readonly counts = new Map<string, number>();
  private newest = 0;

  /** Position of the newest change; 0 when there was none. */
  get from(): number {
    return this.newest;
  }

  in(workspace: string): ReadonlySet<SuppressionId> {
    return this.users.get(workspace) ?? NOBODY;
  }

  /** How many users are suppressed, without the anonymous visitors. */
  countOf(workspace: string): number {
    return this.counts.get(workspace) ?? 0;
  }

  apply(position: number, { id, workspace, suppressed }: SuppressionState): void {
    const ids = this.users.get(workspace) ?? new Set();
    if (ids.has(id) !== suppressed && isOfUser(id))
      this.counts.set(workspace, this.countOf(workspace) + (suppressed ? 1 : -1));
    if (suppressed) ids.add(id);
    else ids.delete(id);
    this.users.set(workspace, ids);
    this.newest = Math.max(this.newest, position);
  }
}
