import type { EventPipelineState } from '@penstock/contracts';
import type { Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';
import type { DestinationId } from '../store/lane-id';

/** Conditions of one request. */
export interface RequestTerms {
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Called right before the request is written; false: it must not be sent. */
  readonly mayWrite: () => boolean;
  /** Called with the HTTP status of each answer, where the connector speaks HTTP. */
  readonly onStatus?: (status: number) => void;
}

/** A destination with its current settings. */
export interface Destination {
  /** Version of the connection or the warehouse; a newer one ends a pause of the lane. */
  readonly version: number;
  /** Code of its connector; `warehouse` for the warehouse of a workspace. */
  readonly connector: string;
  readonly limits: SendLimits;
  readonly ordering: 'key' | 'none';
  /** Age in milliseconds at which a failing delivery is parked; undefined: the installation's default. */
  readonly maxAgeMs: number | undefined;
  /** Milliseconds that a request which is not full waits for more events; absent: the installation's default. */
  readonly lingerMs?: number;
  /** Most milliseconds between two probes while its circuit is open; absent: the cap of all back-off. */
  readonly probeCapMs?: number;
  /** Whether another version of it is tried at once, although the circuit is open. Absent: no. */
  readonly startsAnew?: true;
  /** Sends one request with as many of the first events as fit; resolves to one outcome for each event sent. */
  send(events: readonly PreparedEvent[], terms: RequestTerms): Promise<readonly Outcome[]>;
}

/** An event that is ready to be sent, by a version of a pipeline. */
export interface PreparedEvent extends OutgoingEvent {
  readonly state: EventPipelineState;
}

/** Finds destinations with their decrypted settings. */
export abstract class Destinations {
  /**
   * The destination with the newest settings that the replica has.
   *
   * @returns undefined when the connection was deleted.
   * @throws Error when its settings cannot be decrypted or its connector does not exist: a fault of the installation.
   */
  abstract find(destination: DestinationId): Destination | undefined;

  /** Ends all connections that are kept open. */
  close(): void {
    return undefined;
  }
}
