import type { ConnectionId, PipelineId } from '../ids';
import type { PipelineState } from '../state';
import { pack, type Packed, unpack } from './packed';
import { SortedIds } from './sorted-ids';

/** What is looked at of a pipeline without unpacking it. */
export type PipelineHead = Pick<
  PipelineState,
  'id' | 'workspace' | 'connection' | 'name' | 'version' | 'enabled' | 'deleted'
>;

interface Held extends PipelineHead {
  /** Absent: deleted, so that nobody reads it. */
  readonly state?: Packed<PipelineState>;
}

/** The newest state of each pipeline; large ones are compressed when that is wanted. */
export class NewestPipelines {
  private readonly held = new Map<string, Held>();
  private readonly byConnection = new SortedIds<PipelineId>();
  private readonly byWorkspace = new SortedIds<PipelineId>();

  constructor(private readonly isCompressed: boolean) {}

  apply(state: PipelineState): void {
    const { id, workspace, connection, name, version, enabled, deleted } = state;
    if ((this.held.get(id)?.version ?? 0) > version) return;
    const head = { id, workspace, connection, name, version, enabled, deleted };
    if (deleted) {
      this.held.set(id, head);
      this.byConnection.delete(connection, id);
      this.byWorkspace.delete(workspace, id);
      return;
    }
    const packed = this.isCompressed ? pack(state, JSON.stringify(state)) : state;
    this.held.set(id, { ...head, state: packed });
    this.byConnection.add(connection, id);
    this.byWorkspace.add(workspace, id);
  }

  /** Nobody asks for it any more: it was deleted long ago. */
  forget(id: string): void {
    const head = this.held.get(id);
    if (head === undefined) return;
    this.held.delete(id);
    this.byConnection.delete(head.connection, head.id);
    this.byWorkspace.delete(head.workspace, head.id);
  }

  /** Also of one that was deleted. */
  head(id: string): PipelineHead | undefined {
    return this.held.get(id);
  }

  /** @returns undefined for one that never was and for one that was deleted. */
  get(id: string): PipelineState | undefined {
    const state = this.held.get(id)?.state;
    return state === undefined ? undefined : unpack(state);
  }

  /** Those that the connection has now, oldest first. */
  on(connection: ConnectionId): readonly PipelineId[] {
    return this.byConnection.of(connection);
  }

  /** Those of a workspace, or of a connection when one is given, newest first from behind the cursor on. */
  *newestFirst(
    workspace: string,
    connection: string | undefined,
    cursor: string,
  ): Iterable<PipelineHead> {
    const ids =
      connection === undefined
        ? this.byWorkspace.newestFirst(workspace, cursor)
        : this.byConnection.newestFirst(connection, cursor);
    for (const id of ids) {
      const head = this.held.get(id);
      if (head?.workspace === workspace) yield head;
    }
  }

  /** Whether the connection has, or once had, one. */
  wereOn(connection: ConnectionId): boolean {
    return [...this.held.values()].some((each) => each.connection === connection);
  }
}
