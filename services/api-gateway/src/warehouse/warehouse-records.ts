import type {
  Scope,
  Sealed,
  WarehouseAccess,
  WarehouseView,
  WorkspaceId,
} from '@penstock/contracts';
import type { SecretBox } from '@penstock/runtime';
import { isJsonObject, type Json, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import { mask } from '@penstock/settings';
import type { WarehousePlatform, Warehouses } from '@penstock/warehouses';
import { includes } from '../http/access';
import { jsonObject } from '../http/json-object';
import type { TestWarehouseDto } from './warehouse.dto';

/** Who looks, and at which workspace. */
interface Onlooker {
  readonly scope: Scope;
  readonly workspace: WorkspaceId;
}

/** Warehouses as the API shows and takes them: settings are sealed on the log. */
export class WarehouseRecords {
  constructor(
    private readonly warehouses: Warehouses,
    private readonly secrets: SecretBox,
  ) {}

  /** Passwords are shown to keys that may change them. @throws SealBroken, TypeError for an unknown platform */
  show({ platform: name, settings, mcpSettings, mode }: WarehouseView, onlooker: Onlooker): Json {
    const platform = this.warehouses.get(name);
    if (platform === undefined) throw new TypeError(`no platform ${name}`);
    return jsonObject({
      platform: name,
      settings: this.settingsJson(platform, settings, onlooker),
      mcpSettings: mcpSettings === null ? null : this.settingsJson(platform, mcpSettings, onlooker),
      mode,
    });
  }

  seal({ settings, mcpSettings }: TestWarehouseDto, workspace: WorkspaceId): WarehouseAccess {
    const sealed = (plain: JsonObject): Sealed => this.secrets.seal(writeJson(plain), workspace);
    return {
      settings: sealed(settings),
      mcpSettings: mcpSettings ? sealed(mcpSettings) : null,
    };
  }

  private settingsJson(
    { settings: form }: WarehousePlatform,
    sealed: Sealed,
    { scope, workspace }: Onlooker,
  ): Json {
    const plain = parseJson(this.secrets.open(sealed, workspace));
    const shown = includes(scope, 'admin') ? plain : form.mapSecrets(plain, mask);
    if (!isJsonObject(shown)) throw new TypeError('settings of a warehouse are no object');
    return new Map(Array.from(shown, ([name, value]) => [capitalized(name), value]));
  }
}

/** As the API document writes the members of settings in answers. */
const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
