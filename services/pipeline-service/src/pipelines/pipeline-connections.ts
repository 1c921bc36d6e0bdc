import { Connectors, type EventType } from '@penstock/connectors';
import { type ConnectionState, Refusal } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { load } from '../command-handling/decide-on';
import { ConnectionSettings } from '../connections/connection-settings';
import { connectionDecider, connectionStream } from '../domain/connection.decide';

type Reads = Reading<EntityManager>;

/** Finds the connections that pipelines are on, and the event types that pipelines may have there. */
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

  /**
   * @returns undefined for a connection that does not accept events.
   * @throws Refusal ConnectorNotExist when this version of the service does not have the connector.
   */
  async eventTypes(
    { db }: Reads,
    connection: ConnectionState,
  ): Promise<readonly EventType[] | undefined> {
    const connector = this.connectors.get(connection.connector);
    if (connector === undefined) throw new Refusal('ConnectorNotExist', { kind: 'refused' });
    if (connection.role !== 'Destination') return undefined;
    const settings = await this.settings.open(db, connector, connection);
    return connector.eventDestination?.eventTypes(settings);
  }
}
