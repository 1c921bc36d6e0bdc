import { Injectable } from '@nestjs/common';
import type {
  Scope,
  Sealed,
  WarehouseAccess,
  WarehouseView,
  WorkspaceId,
} from '@penstock/contracts';
import { Seals, SecretBox } from '@penstock/runtime';
import { isJsonObject, type Json, parseJson, writeJson } from '@penstock/schema';
import { mask } from '@penstock/settings';
import { type WarehousePlatform, Warehouses } from '@penstock/warehouses';
import { includes } from '../auth/access';
import { jsonObject } from '../http/json-object';
import type { WarehouseMember } from '../openapi/components/warehouses';
import type { TestWarehouseDto } from './warehouse.dto';

/** The reader of an answer: its scope decides on the passwords. */
interface Viewer {
  readonly scope: Scope;
  readonly workspace: WorkspaceId;
}

/** Converts warehouses for answers and commands: settings are sealed on the log. */
@Injectable()
export class WarehouseRecords {
  constructor(
    private readonly warehouses: Warehouses,
    private readonly secrets: SecretBox,
    private readonly seals: Seals,
  ) {}

  /**
   * Converts a warehouse for an answer. Passwords are masked below scope `admin`.
   *
   * @throws SealBroken, KeyErased, TypeError for an unknown platform
   */
  show({ platform: name, settings, mcpSettings, mode }: WarehouseView, viewer: Viewer): Json {
    const platform = this.warehouses.get(name);
    if (platform === undefined) throw new TypeError(`no platform ${name}`);
    return jsonObject<WarehouseMember>({
      platform: name,
      settings: this.settingsJson(platform, settings, viewer),
      mcpSettings: mcpSettings === null ? null : this.settingsJson(platform, mcpSettings, viewer),
      mode,
    });
  }

  seal(access: TestWarehouseDto, workspace: WorkspaceId): WarehouseAccess {
    return sealedBy((plain) => this.seals.seal(plain, workspace), access);
  }

  /** Seals the settings for a new workspace, which has no data key yet: the pipeline service reseals them under it. */
  sealNew(access: TestWarehouseDto, workspace: WorkspaceId): WarehouseAccess {
    return sealedBy((plain) => this.secrets.seal(plain, workspace), access);
  }

  private settingsJson(
    { settings: form }: WarehousePlatform,
    sealed: Sealed,
    { scope, workspace }: Viewer,
  ): Json {
    const plain = parseJson(this.seals.open(sealed, workspace));
    const shown = includes(scope, 'admin') ? plain : form.mapSecrets(plain, mask);
    if (!isJsonObject(shown)) throw new TypeError('settings of a warehouse are no object');
    return new Map(Array.from(shown, ([name, value]) => [capitalized(name), value]));
  }
}

const sealedBy = (
  seal: (plain: string) => Sealed,
  { settings, mcpSettings }: TestWarehouseDto,
): WarehouseAccess => ({
  settings: seal(writeJson(settings)),
  mcpSettings: mcpSettings ? seal(writeJson(mcpSettings)) : null,
});

/** Capitalizes a member of settings as in the answers of the API document. */
const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
