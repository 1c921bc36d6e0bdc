import { Injectable } from '@nestjs/common';
import { Connectors } from '@penstock/connectors';
import type { ConnectionView, Sealed, WorkspaceId } from '@penstock/contracts';
import { Seals } from '@penstock/runtime';
import { isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import { connectionJson } from './connection-json';

/** Converts connections for answers and commands: secrets are sealed on the log and masked in answers. */
@Injectable()
export class ConnectionRecords {
  constructor(
    private readonly connectors: Connectors,
    private readonly seals: Seals,
  ) {}

  /** @throws SealBroken, KeyErased */
  show(view: ConnectionView, workspace: WorkspaceId): JsonObject {
    const settings = parseJson(this.seals.open(view.settings, workspace));
    if (!isJsonObject(settings)) throw new TypeError(`settings of ${view.id} are no object`);
    return connectionJson(view, this.connectors.get(view.connector), settings);
  }

  seal(settings: JsonObject, workspace: WorkspaceId): Sealed {
    return this.seals.seal(writeJson(settings), workspace);
  }
}
