import type { Connector } from '@penstock/connectors';
import type { ConnectionRole, Sealed, WorkspaceId } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { DataKeys } from '../data-keys/data-keys';
import { checkedSealed, openedSettings } from '../sealed-settings/given-sealed';

/** Sealed settings of a connection, from a request or from its state. */
export interface SealedSettings {
  readonly settings: Sealed;
  readonly role: ConnectionRole;
  readonly workspace: WorkspaceId;
}

/** Opens and checks the settings of connections. They are in plain text only here and where applications are called. */
@Injectable()
export class ConnectionSettings {
  constructor(private readonly dataKeys: DataKeys) {}

  /** Opens settings and checks them again, which fills in defaults that are newer than the connection. */
  async open(db: EntityManager, connector: Connector, sealed: SealedSettings): Promise<JsonObject> {
    const seals = await this.dataKeys.of(db, sealed.workspace);
    return connector.checkSettings(
      openedSettings(seals, sealed.settings, sealed.workspace),
      sealed.role,
    );
  }

  /**
   * Checks the settings that a client sent.
   *
   * @param present the settings that the connection has, whose secrets replace masked ones; absent for a new
   *   connection.
   * @returns the settings with defaults and secrets filled in, sealed; the sealed text of `present` when nothing
   *   changes.
   * @throws Refusal InvalidSettings, naming every bad member; WorkspaceNotExist.
   */
  async check(
    db: EntityManager,
    connector: Connector,
    given: SealedSettings,
    present?: Sealed,
  ): Promise<Sealed> {
    const seals = await this.dataKeys.of(db, given.workspace);
    return checkedSealed(seals, connector, { ...given, present, member: 'settings' });
  }
}
