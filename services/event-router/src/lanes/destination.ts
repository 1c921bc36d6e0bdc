import type { ConnectionId } from '@penstock/contracts';
import type { EventDestination, Settings } from '@penstock/connectors';

/** A destination connection as it is now: its connector and its opened settings. */
export interface Destination {
  readonly connector: EventDestination;
  readonly settings: Settings;
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
