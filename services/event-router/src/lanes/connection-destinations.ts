import type { ConfigurationPicture, ConnectionId, ConnectionState } from '@penstock/contracts';
import type { Connectors } from '@penstock/connectors';
import type { Seals } from '@penstock/runtime';
import { parseJson } from '@penstock/schema';
import { type Destination, Destinations } from './destination';

interface Known {
  readonly version: number;
  readonly destination: Destination;
}

/** Destinations of the configuration picture; the settings of a version are opened once. */
export class ConnectionDestinations extends Destinations {
  private readonly known = new Map<ConnectionId, Known>();

  constructor(
    private readonly picture: ConfigurationPicture,
    private readonly connectors: Connectors,
    private readonly seals: Seals,
  ) {
    super();
  }

  override find(id: ConnectionId): Destination | undefined {
    const connection = this.picture.connection(id);
    if (connection === undefined) {
      this.known.delete(id);
      return undefined;
    }
    const known = this.known.get(id);
    if (known?.version === connection.version) return known.destination;
    const destination = this.open(connection);
    this.known.set(id, { version: connection.version, destination });
    return destination;
  }

  private open({ id, connector: code, settings, workspace }: ConnectionState): Destination {
    const connector = this.connectors.get(code);
    if (connector?.eventDestination === undefined)
      throw new Error(`connector ${code} of connection ${id} is not there or takes no events`);
    const opened = parseJson(this.seals.open(settings, workspace));
    // Checked again: a default that is newer than the connection is filled in.
    const checked = connector.checkSettings(opened, 'Destination');
    return { connector: connector.eventDestination, settings: checked };
  }
}
