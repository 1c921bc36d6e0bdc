import type { ConnectionId } from './ids';
import type { ConnectionState } from './state';

/** What is kept of a connection as it once was: enough to tell where events went. */
export type PastConnection = Pick<
  ConnectionState,
  'id' | 'workspace' | 'connector' | 'version' | 'deleted' | 'links'
>;

/** A state of a connection, and the position of the configuration from which it held. */
export interface PastConnectionRecord {
  readonly position: number;
  readonly state: PastConnection;
}

const areEqual = (left: readonly ConnectionId[], right: readonly ConnectionId[]): boolean =>
  left.length === right.length && left.every((id, index) => id === right[index]);

/** Whether events go the same way by both. */
export const routesAlike = (left: PastConnection, right: PastConnection): boolean =>
  left.deleted === right.deleted && areEqual(left.links, right.links);

/** Leaves out what only the present needs. @param alike shares its links where they are the same. */
export const pastConnection = (
  { id, workspace, connector, version, deleted, links }: PastConnection,
  alike?: PastConnection,
): PastConnection => ({
  id,
  workspace,
  connector,
  version,
  deleted,
  links: alike !== undefined && areEqual(links, alike.links) ? alike.links : links,
});
