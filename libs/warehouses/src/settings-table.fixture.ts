import { Invalid, parseJson, writeJson } from '@penstock/schema';
import type { WarehousePlatform } from './platform/warehouse';

/** Where the settings are wrong. */
export const badPaths = (platform: WarehousePlatform, plain: unknown): string[] => {
  try {
    platform.checkSettings(parseJson(JSON.stringify(plain)));
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues.map(({ path }) => path);
    throw error;
  }
};

/** The settings as a workspace would hold them. */
export const checked = (platform: WarehousePlatform, plain: unknown): unknown =>
  JSON.parse(writeJson(platform.checkSettings(parseJson(JSON.stringify(plain))))) as unknown;
