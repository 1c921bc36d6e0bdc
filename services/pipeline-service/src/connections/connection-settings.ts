import { type Connector, givenSettings } from '@penstock/connectors';
import { type ConnectionRole, Refusal, type Sealed, type WorkspaceId } from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { Invalid, isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { DataKeys } from '../data-keys/data-keys';

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
    return connector.checkSettings(opened(seals, sealed), sealed.role);
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
    const before =
      present === undefined ? undefined : opened(seals, { ...given, settings: present });
    try {
      const checked = givenSettings(connector, opened(seals, given), given.role, before);
      const text = writeJson(checked);
      if (present !== undefined && before !== undefined && text === writeJson(before))
        return present;
      return seals.seal(text, given.workspace);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const details = error.issues.map(({ path, message }) => ({
        path: `/settings${path}`,
        message,
      }));
      throw new Refusal('InvalidSettings', { details });
    }
  }
}

const opened = (seals: Seals, { settings, workspace }: SealedSettings): JsonObject => {
  const json = parseJson(seals.open(settings, workspace));
  if (!isJsonObject(json)) throw new TypeError('the settings of a connection are no object');
  return json;
};
