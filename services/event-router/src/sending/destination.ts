import type { ConnectionId } from '@penstock/contracts';
import type { Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';

/** Conditions of one request. */
export interface RequestTerms {
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Called right before the request is written; false: it must not be sent. */
  readonly mayWrite: () => boolean;
  /** Called with the HTTP status of each answer, where the connector speaks HTTP. */
  readonly onStatus?: (status: number) => void;
}

/** A destination connection with its current settings. */
export interface Destination {
  /** Version of the connection; a newer one ends a pause of the lane. */
  readonly version: number;
  /** Code of its connector. */
  readonly connector: string;
  readonly limits: SendLimits;
  readonly ordering: 'key' | 'none';
  /** Age in milliseconds at which a failing delivery is parked; undefined: the installation's default. */
  readonly maxAgeMs: number | undefined;
  /** Sends one request with as many of the first events as fit; resolves to one outcome for each event sent. */
  send(events: readonly OutgoingEvent[], terms: RequestTerms): Promise<readonly Outcome[]>;
}

/** Finds destination connections with their decrypted settings. */
export abstract class Destinations {
  /**
   * The destination with the newest settings that the replica has.
   *
   * @returns undefined when the connection was deleted.
   * @throws Error when its settings cannot be decrypted or its connector does not exist: a fault of the installation.
   */
  abstract find(connection: ConnectionId): Destination | undefined;
}
