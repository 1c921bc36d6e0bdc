import { type Connector, Connectors, type EventType, type Settings } from '@penstock/connectors';
import { type ConnectionState, Refusal } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { load } from '../command-handling/decide-on';
import { ConnectionSettings } from '../connections/connection-settings';
import { connectionDecider, connectionStream } from '../domain/connection.decide';

type Reads = Reading<EntityManager>;

/** Finds the connections that pipelines are on, and what pipelines may have there. */
@Injectable()
export class PipelineConnections {
  constructor(
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
  ) {}

  /** @returns undefined for a connection that does not exist, was deleted, or is in another workspace. */
  async find(reading: Reads, id: string, workspace: string): Promise<ConnectionState | undefined> {
    const { state } = await load(reading, connectionDecider, connectionStream(id));
    return state === null || state.deleted || state.workspace !== workspace ? undefined : state;
  }

  /** @throws Refusal ConnectorNotExist when this version of the service does not have the connector. */
  connectorOf({ connector: code }: ConnectionState): Connector {
    const connector = this.connectors.get(code);
    if (connector === undefined) throw new Refusal('ConnectorNotExist', { kind: 'refused' });
    return connector;
  }

  /** The settings of a connection, opened. */
  settingsOf({ db }: Reads, connector: Connector, connection: ConnectionState): Promise<Settings> {
    return this.settings.open(db, connector, connection);
  }

  /** @returns undefined for a connection that does not accept events. */
  async eventTypes(
    reading: Reads,
    connector: Connector,
    connection: ConnectionState,
  ): Promise<readonly EventType[] | undefined> {
    if (connection.role !== 'Destination') return undefined;
    const settings = await this.settingsOf(reading, connector, connection);
    return connector.eventDestination?.eventTypes(settings);
  }
}
