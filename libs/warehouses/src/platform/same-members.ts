import { writeJson } from '@penstock/schema';
import type { WarehouseSettings } from './warehouse';

/** Whether two settings are equal in all these members. */
export const sameMembers =
  (...names: readonly string[]) =>
  (one: WarehouseSettings, other: WarehouseSettings): boolean => {
    const textOf = (settings: WarehouseSettings): string =>
      writeJson(names.map((name) => settings.get(name) ?? null));
    return textOf(one) === textOf(other);
  };
