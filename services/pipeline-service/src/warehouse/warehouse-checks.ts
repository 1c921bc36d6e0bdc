import {
  type NewWarehouse,
  Refusal,
  type Sealed,
  type WarehouseAccess,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { Invalid, type Issue, parseJson, writeJson } from '@penstock/schema';
import {
  type InitialiseOptions,
  Warehouses,
  type WarehousePlatform,
  type WarehouseSettings,
} from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import { settingsRefusal } from './fault-refusal';
import { withWarehouse } from './with-warehouse';

/** The time for a whole check. Source: the API's rulings, "Warehouse modes". */
const CHECK_TIMEOUT_MS = 10_000;

/** Settings whose form is valid. */
interface Given {
  readonly platform: WarehousePlatform;
  readonly workspace: WorkspaceId;
  readonly settings: WarehouseSettings;
  readonly mcpSettings: WarehouseSettings | null;
  /** JSON pointer in the request of the object that holds the settings. */
  readonly path: string;
}

/** A warehouse that was initialised for a new workspace. */
export interface InitialisedWarehouse {
  /** With the settings to be stored. */
  readonly warehouse: NewWarehouse;
  /** Undoes what this initialisation has changed. @throws Refusal when the warehouse cannot be reached */
  readonly release: () => Promise<void>;
}

/**
 * Tries the settings of warehouses in the order in which the API documents its errors, and reports the first. It takes
 * up to ten seconds, so it is done before a command is decided.
 */
@Injectable()
export class WarehouseChecks {
  constructor(private readonly warehouses: Warehouses) {}

  /**
   * Initialises an empty schema as the warehouse of a new workspace. Repeating it for the same workspace changes
   * nothing.
   *
   * Empty schemas cannot be distinguished by their content: the MCP server's settings must name the same place
   * literally.
   *
   * @param seals of the workspace, as below.
   * @param wanted settings as the client sent them.
   * @param options `path`: JSON pointer in the request of the object that holds them. `isDryRun`: everything is undone.
   *   `isFreed`: whether the workspace in the schema's marker was deleted.
   * @throws Refusal BadRequest, InvalidWarehouseSettings, DifferentWarehouse, NotReadOnlyMCPSettings
   */
  async create(
    seals: Seals,
    wanted: NewWarehouse,
    { path = '', ...options }: { readonly path?: string } & InitialiseOptions = {},
  ): Promise<InitialisedWarehouse> {
    const given = this.given(seals, wanted, wanted, path);
    const { platform, settings, mcpSettings, workspace } = given;
    const connect = { platform, settings, refusalOf: settingsRefusal(`${path}/settings`) };
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const initialised = await withWarehouse({ ...connect, signal }, async (own) => {
      if (mcpSettings !== null) {
        if (!platform.isSamePlace(settings, mcpSettings)) throw new Refusal('DifferentWarehouse');
        await this.checkMcp({ ...given, mcpSettings }, signal, false);
      }
      return own.initialise(workspace, options);
    });
    return {
      warehouse: { ...sealedAccess(seals, given), id: workspace, platform: platform.name },
      release: async () => {
        if (initialised === undefined) return;
        const again = { ...connect, signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) };
        await withWarehouse(again, (own) => own.release(workspace, initialised));
      },
    };
  }

  /**
   * Tries other settings for the existing warehouse of a workspace. Changes nothing in it.
   *
   * @param wanted settings as the client sent them.
   * @param present settings that the workspace has; their sealed text stays where they do not change.
   * @returns the settings to be stored.
   * @throws Refusal BadRequest, InvalidWarehouseSettings, DifferentWarehouse, NotReadOnlyMCPSettings
   */
  async update(
    seals: Seals,
    wanted: WarehouseAccess,
    present: NewWarehouse,
  ): Promise<WarehouseAccess> {
    const given = this.given(seals, present, wanted, '');
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { platform, settings, mcpSettings, workspace } = given;
    const refusalOf = settingsRefusal('/settings');
    await withWarehouse({ platform, settings, signal, refusalOf }, async (own) => {
      await own.checkAccess();
      if ((await own.owner()) !== workspace) throw new Refusal('DifferentWarehouse');
    });
    if (mcpSettings !== null) await this.checkMcp({ ...given, mcpSettings }, signal, true);
    return sealedAccess(seals, given, present);
  }

  /** Opens the stored settings of a warehouse. */
  open(
    seals: Seals,
    { platform, settings, id }: NewWarehouse,
  ): {
    readonly platform: WarehousePlatform;
    readonly settings: WarehouseSettings;
  } {
    const known = this.platform(platform, '');
    return { platform: known, settings: known.checkSettings(parseJson(seals.open(settings, id))) };
  }

  private platform(name: string, path: string): WarehousePlatform {
    const platform = this.warehouses.get(name);
    if (platform !== undefined) return platform;
    const names = this.warehouses.list.map((each) => each.name).join(' or ');
    throw new Refusal('BadRequest', {
      details: [{ path: `${path}/platform`, message: `must be ${names}` }],
    });
  }

  /** Opens both settings and checks their form. @throws Refusal BadRequest with all issues */
  private given(
    seals: Seals,
    { platform: name, id: workspace }: Pick<NewWarehouse, 'platform' | 'id'>,
    wanted: WarehouseAccess,
    path: string,
  ): Given {
    const platform = this.platform(name, path);
    const details: Issue[] = [];
    const checked = (sealed: Sealed, at: string): WarehouseSettings => {
      try {
        return platform.checkSettings(parseJson(seals.open(sealed, workspace)));
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        details.push(...error.issues.map((issue) => ({ ...issue, path: at + issue.path })));
        return new Map();
      }
    };
    const settings = checked(wanted.settings, `${path}/settings`);
    const mcpSettings =
      wanted.mcpSettings === null ? null : checked(wanted.mcpSettings, `${path}/mcpSettings`);
    if (details.length > 0) throw new Refusal('BadRequest', { details });
    return { platform, workspace, settings, mcpSettings, path };
  }

  private checkMcp(
    { platform, workspace, mcpSettings, path: at }: Given & { mcpSettings: WarehouseSettings },
    signal: AbortSignal,
    isMarked: boolean,
  ): Promise<void> {
    const path = `${at}/mcpSettings`;
    const connect = { platform, settings: mcpSettings, signal, refusalOf: settingsRefusal(path) };
    return withWarehouse(connect, async (reader) => {
      await reader.checkReading();
      if (isMarked && (await reader.owner()) !== workspace) throw new Refusal('DifferentWarehouse');
      const rights = await reader.writingRights();
      const details = rights.map((message) => ({ path, message }));
      if (details.length > 0) throw new Refusal('NotReadOnlyMCPSettings', { details });
    });
  }
}

/** Seals settings; the sealed text of present settings stays where they are equal. */
const sealedAccess = (
  seals: Seals,
  { workspace, settings, mcpSettings }: Given,
  present: Partial<WarehouseAccess> = {},
): WarehouseAccess => {
  const sealed = (given: WarehouseSettings, before: Sealed | null = null): Sealed => {
    const text = writeJson(given);
    return before !== null && seals.open(before, workspace) === text
      ? before
      : seals.seal(text, workspace);
  };
  return {
    settings: sealed(settings, present.settings),
    mcpSettings: mcpSettings === null ? null : sealed(mcpSettings, present.mcpSettings),
  };
};
