import type { ConnectionId } from '@penstock/contracts';
import type { Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';

/** What goes with one request. */
export interface RequestTerms {
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Asked right before the request is written: whether it may be sent still. */
  readonly mayWrite: () => boolean;
}

/** A destination connection as it is now. */
export interface Destination {
  /** Of the connection: with newer settings it is worth trying again what was refused. */
  readonly version: number;
  readonly limits: SendLimits;
  readonly ordering: 'key' | 'none';
  /** The age at which what keeps failing is parked; undefined: the installation's. */
  readonly maxAgeMs: number | undefined;
  /** Sends one request with as many events as it takes from the front; an outcome for each of those. */
  send(events: readonly OutgoingEvent[], terms: RequestTerms): Promise<readonly Outcome[]>;
}

/** Finds the connector and opens the settings of a destination connection. */
export abstract class Destinations {
  /**
   * The newest settings that this process has seen.
   *
   * @returns undefined when the connection was deleted.
   * @throws Error when its settings cannot be opened or its connector is not there: an operator's mistake.
   */
  abstract find(connection: ConnectionId): Destination | undefined;
}
