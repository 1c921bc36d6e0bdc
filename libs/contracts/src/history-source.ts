import type { ConnectionId, PipelineId } from './ids';
import type { ConnectionState, EventPipelineState } from './state';

/** What of a connection the history holds: no secrets. */
export type HistoricalConnectionState = Omit<ConnectionState, 'settings' | 'writeKeys'>;

/** An object as it was from a configuration position on, until its next state. */
interface StateAt<State> {
  /** Of the fact that led to the state: it held at this position already. */
  readonly position: number;
  readonly state: State;
}

/** A connection as it was from a configuration position on. */
export type ConnectionStateAt = StateAt<HistoricalConnectionState>;

/** A version of a pipeline, and the configuration position from which it held. */
export type PipelineStateAt = StateAt<EventPipelineState>;

/**
 * Reads every state of an object that held at one of the configuration positions from `from`, which is included, to
 * `to`, which is not; oldest first. The first may be older than `from`: it held there. Empty where the object did not
 * exist, or there are no positions.
 *
 * Rejects on a time-out or when the log is unavailable: the caller may retry.
 */
type ReadStates<Id, State> = (
  id: Id,
  from: number,
  to: number,
) => Promise<readonly StateAt<State>[]>;

/** What the configuration was before the states that its compacted topic still holds. */
export interface HistorySource {
  readonly connectionStates: ReadStates<ConnectionId, HistoricalConnectionState>;
  readonly pipelineStates: ReadStates<PipelineId, EventPipelineState>;
  /** One version of a pipeline; undefined when there never was one. Rejects as the others do. */
  readonly pipelineVersion: (
    id: PipelineId,
    version: number,
  ) => Promise<EventPipelineState | undefined>;
}
