import { type Connector, givenSettings } from '@penstock/connectors';
import { type ConnectionRole, Refusal, type Sealed, type WorkspaceId } from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { Invalid, isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { DataKeys } from '../data-keys/data-keys';

/** Settings as they are given for a connection, or kept of it. */
export interface SealedSettings {
  readonly settings: Sealed;
  readonly role: ConnectionRole;
  readonly workspace: WorkspaceId;
}

/** The settings of connections, which are plain only here and where requests are made. */
@Injectable()
export class ConnectionSettings {
  constructor(private readonly dataKeys: DataKeys) {}

  /** Checked again: a default that is newer than the connection is filled in. */
  async open(db: EntityManager, connector: Connector, sealed: SealedSettings): Promise<JsonObject> {
    const seals = await this.dataKeys.of(db, sealed.workspace);
    return connector.checkSettings(opened(seals, sealed), sealed.role);
  }

  /**
   * Checks what a client gives.
   *
   * @param present what the connection has, for masked secrets to stand for; absent for a new one.
   * @returns the settings with defaults and secrets filled in; the present ones, sealed as they were, where nothing
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
