import { Connectors, type FileStorage, type Settings } from '@penstock/connectors';
import { type ConnectionId, isIdForm, Refusal } from '@penstock/contracts';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ConnectionSettings } from '../connections/connection-settings';
import { orUnavailable } from '../database/or-unavailable';
import { ConnectionRow } from '../read-model/views';

/** A storage that a connection leads to, with the opened settings. */
interface ConnectedStorage {
  readonly connection: ConnectionId;
  readonly settings: Settings;
  readonly storage: FileStorage;
}

/** Finds the storages of connections through the views. */
@Injectable()
export class FileStorages {
  constructor(
    private readonly database: EntityManager,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
  ) {}

  /** @throws Refusal ConnectionNotExist; BadRequest for a connection that is no source of files. */
  async of(id: string, workspace: string): Promise<ConnectedStorage> {
    const row = isIdForm(id) ? await this.rowOf(id, workspace) : null;
    if (row === null) throw new Refusal('ConnectionNotExist');
    const { state } = row;
    const connector = this.connectors.get(state.connector);
    if (connector?.fileStorage === undefined || state.role !== 'Source')
      throw new Refusal('BadRequest', {
        details: [
          { path: '/id', message: 'is no connection with a storage that files are read of' },
        ],
      });
    return {
      connection: state.id,
      settings: await this.settings.open(this.database, connector, state),
      storage: connector.fileStorage,
    };
  }

  private rowOf(id: string, workspace: string): Promise<ConnectionRow | null> {
    return orUnavailable(this.database.findOneBy(ConnectionRow, { id, workspace }));
  }
}
