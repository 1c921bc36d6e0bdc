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

/** For a check as a whole. Source: the API's rulings, "Warehouse modes". */
const CHECK_TIMEOUT_MS = 10_000;

/** Settings that have passed the check of their form. */
interface Given {
  readonly platform: WarehousePlatform;
  readonly workspace: WorkspaceId;
  readonly settings: WarehouseSettings;
  readonly mcpSettings: WarehouseSettings | null;
  /** Where they stand in the request. */
  readonly path: string;
}

/**
 * Tries the settings of warehouses, in the order in which the API documents its errors; the first that fails is told.
 * Takes up to ten seconds: what is decided on the outcome is decided afterwards.
 */
@Injectable()
export class WarehouseChecks {
  constructor(private readonly warehouses: Warehouses) {}

  /**
   * Makes an empty schema the warehouse of a new workspace. Once more for the same workspace is as once.
   *
   * Nothing in an empty schema tells it from another: the MCP server's settings must name the same place in so many
   * words.
   *
   * @param seals of the workspace, as below.
   * @param asked settings as the client wrote them.
   * @param options `path`: JSON pointer in the request of the object that holds them. `isDryRun`: nothing of it stays.
   *   `isFreed`: whether the workspace that has the schema now has given it up.
   * @returns the settings as they are kept.
   * @throws Refusal BadRequest, InvalidWarehouseSettings, DifferentWarehouse, NotReadOnlyMCPSettings
   */
  async create(
    seals: Seals,
    asked: NewWarehouse,
    { path = '', ...options }: { readonly path?: string } & InitialiseOptions = {},
  ): Promise<NewWarehouse> {
    const given = this.given(seals, asked, asked, path);
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { platform, settings, mcpSettings, workspace } = given;
    const refusalOf = settingsRefusal(`${path}/settings`);
    await withWarehouse({ platform, settings, signal, refusalOf }, async (own) => {
      if (mcpSettings !== null) {
        if (!platform.isSamePlace(settings, mcpSettings)) throw new Refusal('DifferentWarehouse');
        await this.checkMcp({ ...given, mcpSettings }, signal, false);
      }
      await own.initialise(workspace, options);
    });
    return { ...kept(seals, given), id: workspace, platform: platform.name };
  }

  /**
   * Tries settings for the warehouse of a workspace that has one. Changes nothing in it.
   *
   * @param asked settings as the client wrote them.
   * @param present those that the workspace has: kept as they are where they are the same.
   * @returns the settings as they are kept.
   * @throws Refusal BadRequest, InvalidWarehouseSettings, DifferentWarehouse, NotReadOnlyMCPSettings
   */
  async update(
    seals: Seals,
    asked: WarehouseAccess,
    present: NewWarehouse,
  ): Promise<WarehouseAccess> {
    const given = this.given(seals, present, asked, '');
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const { platform, settings, mcpSettings, workspace } = given;
    const refusalOf = settingsRefusal('/settings');
    await withWarehouse({ platform, settings, signal, refusalOf }, async (own) => {
      await own.checkAccess();
      if ((await own.owner()) !== workspace) throw new Refusal('DifferentWarehouse');
    });
    if (mcpSettings !== null) await this.checkMcp({ ...given, mcpSettings }, signal, true);
    return kept(seals, given, present);
  }

  /** Opens settings that have been checked before. */
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

  /** Names everything that is wrong with the form of both. @throws Refusal BadRequest */
  private given(
    seals: Seals,
    { platform: name, id: workspace }: Pick<NewWarehouse, 'platform' | 'id'>,
    asked: WarehouseAccess,
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
    const settings = checked(asked.settings, `${path}/settings`);
    const mcpSettings =
      asked.mcpSettings === null ? null : checked(asked.mcpSettings, `${path}/mcpSettings`);
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

const kept = (
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
