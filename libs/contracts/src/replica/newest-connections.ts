import type { ConnectionId } from '../ids';
import type { ConnectionState } from '../state';
import { SortedIds } from './sorted-ids';

/** The newest state of each connection, and what is found by it. */
export class NewestConnections {
  private readonly held = new Map<string, ConnectionState>();
  private readonly byWriteKey = new Map<string, ConnectionState>();
  private readonly byWorkspace = new SortedIds<ConnectionId>();
  private readonly sources = new SortedIds<ConnectionId>();

  apply(state: ConnectionState): void {
    const before = this.held.get(state.id);
    if (before !== undefined && before.version > state.version) return;
    if (before !== undefined) this.remove(before);
    this.held.set(state.id, state);
    if (state.deleted) return;
    for (const { hash } of state.writeKeys) this.byWriteKey.set(hash, state);
    for (const destination of state.links) this.sources.add(destination, state.id);
    this.byWorkspace.add(state.workspace, state.id);
  }

  /** Nobody asks for it any more: it was deleted long ago. */
  forget(id: string): void {
    const state = this.held.get(id);
    if (state !== undefined) this.remove(state);
    this.held.delete(id);
  }

  /** Deleted or not. */
  get(id: string): ConnectionState | undefined {
    return this.held.get(id);
  }

  withWriteKey(hash: string): ConnectionState | undefined {
    return this.byWriteKey.get(hash);
  }

  /** Those that the workspace has now, oldest first. */
  in(workspace: string): readonly ConnectionId[] {
    return this.byWorkspace.of(workspace);
  }

  /** Those that the workspace has now, newest first from behind the cursor on. */
  newestFirst(workspace: string, cursor: string): Iterable<ConnectionId> {
    return this.byWorkspace.newestFirst(workspace, cursor);
  }

  /** Every one, also those that were deleted. */
  all(): Iterable<ConnectionState> {
    return this.held.values();
  }

  /** Those that are linked to the destination, oldest first. */
  sourcesOf(destination: ConnectionId): readonly ConnectionId[] {
    return this.sources.of(destination);
  }

  private remove({ id, workspace, writeKeys, links }: ConnectionState): void {
    for (const { hash } of writeKeys) this.byWriteKey.delete(hash);
    for (const destination of links) this.sources.delete(destination, id);
    this.byWorkspace.delete(workspace, id);
  }
}
