import type { ConfigurationReplica, ConnectionState } from '@penstock/contracts';
import type { Connectors, GuardedHttp } from '@penstock/connectors';
import type { Seals } from '@penstock/runtime';
import { parseJson } from '@penstock/schema';
import { type Destination, Destinations } from './destination';
import type { DestinationId } from '../store/lane-id';
import { ObservedHttp } from './observed-http';

/** Destinations of the configuration replica. The settings of each version are decrypted once. */
export class ConnectionDestinations extends Destinations {
  private readonly known = new Map<DestinationId, Destination>();

  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly connectors: Connectors,
    private readonly seals: Seals,
    private readonly http: GuardedHttp,
    /** Limit of every destination's `maxAgeMs`: a delivery must end before retention removes its event. */
    private readonly mostAgeMs: number,
  ) {
    super();
  }

  override find(id: DestinationId): Destination | undefined {
    const connection = this.replica.connection(id);
    if (connection === undefined) {
      this.known.delete(id);
      return undefined;
    }
    const known = this.known.get(id);
    if (known?.version === connection.version) return known;
    const destination = this.open(connection);
    this.known.set(id, destination);
    return destination;
  }

  private open(connection: ConnectionState): Destination {
    const { id, connector: code, settings, workspace, version, delivery } = connection;
    const connector = this.connectors.get(code)?.eventDestination;
    if (connector === undefined)
      throw new Error(`connector ${code} of connection ${id} is not there or takes no events`);
    const opened = parseJson(this.seals.open(settings, workspace));
    // Fills in defaults of settings that are newer than the connection.
    const checked = this.connectors.get(code)?.checkSettings(opened, 'Destination') ?? new Map();
    const timeoutMs = delivery?.timeoutSeconds && delivery.timeoutSeconds * 1_000;
    return {
      version,
      connector: code,
      limits: connector.limits(checked),
      ordering: delivery?.ordering ?? 'key',
      maxAgeMs: delivery?.maxAgeSeconds && Math.min(this.mostAgeMs, delivery.maxAgeSeconds * 1_000),
      send: (events, { onStatus, ...terms }) =>
        connector.send(events, checked, {
          connection: id,
          http: onStatus === undefined ? this.http : new ObservedHttp(this.http, onStatus),
          ...(timeoutMs && { timeoutMs }),
          ...terms,
        }),
    };
  }
}
