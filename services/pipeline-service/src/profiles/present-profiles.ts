import {
  FIRST_PROFILE_SCHEMA,
  type ProfileSchema,
  profilesOf,
  type WarehouseFact,
} from '@penstock/contracts';
import { load, type Loaded } from '../command-handling/decide-on';
import { type Warehouse, warehouseDecider, warehouseStream } from '../domain/warehouse.decide';

/** The schema that a decision was made by, and the stream that it was read from. */
export interface PresentProfiles {
  readonly profiles: ProfileSchema;
  readonly own: Loaded<Warehouse, WarehouseFact>;
}

/** The present schema of the profiles of a workspace, also of one that has no warehouse yet. */
export const presentProfiles = async (
  reading: Parameters<typeof load>[0],
  workspace: string,
): Promise<PresentProfiles> => {
  const own = await load(reading, warehouseDecider, warehouseStream(workspace));
  return { own, profiles: own.state === null ? FIRST_PROFILE_SCHEMA : profilesOf(own.state) };
};
