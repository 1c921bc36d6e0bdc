import type { ConnectionId } from './ids';
import type { ConnectionState } from './state';

/** What of a connection the history holds: no secrets. */
export type HistoricalConnectionState = Omit<ConnectionState, 'settings' | 'writeKeys'>;

/** A connection as it was from a configuration position on, until the next state. */
export interface ConnectionStateAt {
  /** Of the fact that led to the state: it held at this position already. */
  readonly position: number;
  readonly state: HistoricalConnectionState;
}

/**
 * Every state of a connection that held at one of the configuration positions from `from`, which is included, to `to`,
 * which is not; oldest first. The first may be older than `from`: it held there. Empty where the connection did not
 * exist, or there are no positions.
 *
 * Rejects on a time-out or when the log is unavailable: the caller may retry.
 */
export type ReadConnectionHistory = (
  connection: ConnectionId,
  from: number,
  to: number,
) => Promise<readonly ConnectionStateAt[]>;
