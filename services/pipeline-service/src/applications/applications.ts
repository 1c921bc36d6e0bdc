import {
  Connectors,
  type EventDestination,
  type Settings,
  type UserDestination,
  type UserSource,
} from '@penstock/connectors';
import { type ConnectionId, type ConnectionState, isIdForm, Refusal } from '@penstock/contracts';
import { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { ConnectionSettings } from '../connections/connection-settings';
import { orUnavailable } from '../database/or-unavailable';
import { ConnectionRow } from '../read-model/views';

/** An application that a connection leads to, with the opened settings. */
interface Application {
  readonly connection: ConnectionId;
  readonly settings: Settings;
}

/** An application that accepts events. */
export interface EventApplication extends Application {
  readonly destination: EventDestination;
}

/** An application whose users can be read. */
export interface UserApplication extends Application {
  readonly source: UserSource;
  /** Undefined on a source connection, and where users cannot be written. */
  readonly destination: UserDestination | undefined;
}

/**
 * Finds the applications of connections through the views.
 *
 * Every method throws Refusal ConnectionNotExist for a connection that does not exist or leads to something else.
 */
@Injectable()
export class Applications {
  constructor(
    private readonly database: EntityManager,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
  ) {}

  async takingEvents(id: string, workspace: string): Promise<EventApplication> {
    const state = await this.stateOf(id, workspace);
    const connector = this.connectors.get(state.connector);
    if (connector?.eventDestination === undefined || state.role !== 'Destination')
      throw new Refusal('ConnectionNotExist');
    return {
      connection: state.id,
      settings: await this.settings.open(this.database, connector, state),
      destination: connector.eventDestination,
    };
  }

  async withUsers(id: string, workspace: string): Promise<UserApplication> {
    const state = await this.stateOf(id, workspace);
    const connector = this.connectors.get(state.connector);
    if (connector?.userSource === undefined) throw new Refusal('ConnectionNotExist');
    return {
      connection: state.id,
      settings: await this.settings.open(this.database, connector, state),
      source: connector.userSource,
      destination: state.role === 'Destination' ? connector.userDestination : undefined,
    };
  }

  private async stateOf(id: string, workspace: string): Promise<ConnectionState> {
    const row = isIdForm(id) ? await this.rowOf(id, workspace) : null;
    if (row === null) throw new Refusal('ConnectionNotExist');
    return row.state;
  }

  private rowOf(id: string, workspace: string): Promise<ConnectionRow | null> {
    return orUnavailable(this.database.findOneBy(ConnectionRow, { id, workspace }));
  }
}
