import type { ConnectionId } from './ids';
import type { ConnectionState } from './state';

/** What is kept of an earlier state of a connection: enough to know where events went. */
export type HistoricalConnection = Pick<
  ConnectionState,
  'id' | 'workspace' | 'connector' | 'version' | 'deleted' | 'links'
>;

/** A state of a connection, and the position of the configuration from which it held. */
export interface HistoricalConnectionRecord {
  readonly position: number;
  readonly state: HistoricalConnection;
}

const areEqual = (left: readonly ConnectionId[], right: readonly ConnectionId[]): boolean =>
  left.length === right.length && left.every((id, index) => id === right[index]);

/** Whether events go the same way by both. */
export const routesAlike = (left: HistoricalConnection, right: HistoricalConnection): boolean =>
  left.deleted === right.deleted && areEqual(left.links, right.links);

/** Leaves out what only the present needs. @param alike shares its links where they are the same. */
export const historicalConnection = (
  { id, workspace, connector, version, deleted, links }: HistoricalConnection,
  alike?: HistoricalConnection,
): HistoricalConnection => ({
  id,
  workspace,
  connector,
  version,
  deleted,
  links: alike !== undefined && areEqual(links, alike.links) ? alike.links : links,
});
