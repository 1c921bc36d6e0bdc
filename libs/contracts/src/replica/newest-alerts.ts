import type { AlertId } from '../ids';
import type { AlertState } from '../state';
import { SortedIds } from './sorted-ids';

/** The newest state of each alert. */
export class NewestAlerts {
  private readonly held = new Map<string, AlertState>();
  private readonly byWorkspace = new SortedIds<AlertId>();

  apply(state: AlertState): void {
    this.held.set(state.id, state);
    if (state.deleted) this.byWorkspace.delete(state.workspace, state.id);
    else this.byWorkspace.add(state.workspace, state.id);
  }

  /** Nobody asks for it any more: it was deleted long ago. */
  forget(id: string): void {
    const state = this.held.get(id);
    if (state !== undefined) this.byWorkspace.delete(state.workspace, state.id);
    this.held.delete(id);
  }

  /** Deleted or not. */
  get(id: string): AlertState | undefined {
    return this.held.get(id);
  }

  /** Those that there are now. */
  *all(): Iterable<AlertState> {
    for (const state of this.held.values()) if (!state.deleted) yield state;
  }

  /** Those that the workspace has now, newest first from behind the cursor on. */
  *newestFirst(workspace: string, cursor: string): Iterable<AlertState> {
    for (const id of this.byWorkspace.newestFirst(workspace, cursor)) {
      const state = this.held.get(id);
      if (state !== undefined) yield state;
    }
  }
}
