import type { Sealed } from './connection.facts';
import type { WorkspaceId } from './ids';

/**
 * The key under which the secrets of a workspace are sealed. It stands in no fact, which would keep it for ever: the
 * `configuration.state` topic holds it, and a tombstone when it is erased with its workspace.
 */
export interface DataKey {
  /** Named by what is sealed under it. */
  readonly id: string;
  readonly workspace: WorkspaceId;
  /** The key itself, sealed under `PENSTOCK_SECRET`. */
  readonly wrapped: Sealed;
}

/** A message of the `configuration.state` topic. */
export interface DataKeyRecord {
  readonly dataKey: DataKey;
}

const PREFIX = 'data-key:';

/** The key of the record that holds a workspace's data key. */
export const dataKeyKey = (workspace: string): string => PREFIX + workspace;

/**
 * The workspace that a record of `configuration.state` with this key is the data key of.
 *
 * @returns undefined for the key of anything else.
 */
export const workspaceOfDataKey = (key: string): string | undefined =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
