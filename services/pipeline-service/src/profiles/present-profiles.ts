import { FIRST_PROFILE_SCHEMA, type ProfileSchema, profilesOf } from '@penstock/contracts';
import { load } from '../command-handling/decide-on';
import { warehouseDecider, warehouseStream } from '../domain/warehouse.decide';

/** The present schema of the profiles of a workspace, also of one that has no warehouse yet. */
export const presentProfiles = async (
  reading: Parameters<typeof load>[0],
  workspace: string,
): Promise<ProfileSchema> => {
  const { state } = await load(reading, warehouseDecider, warehouseStream(workspace));
  return state === null ? FIRST_PROFILE_SCHEMA : profilesOf(state);
};
