import { type ProfileSchema, Refusal } from '@penstock/contracts';
import type { StoredProfile, WarehouseReader } from '@penstock/warehouses';

/**
 * The id of a profile, or of the one that it was merged into.
 *
 * @throws Refusal ProfileNotExist; WarehouseFault
 */
export const survivorOf = async (
  reader: Pick<WarehouseReader, 'profile'>,
  profiles: ProfileSchema,
  id: string,
  signal: AbortSignal,
): Promise<StoredProfile['id']> => {
  const properties = { ...profiles.schema, properties: [] };
  const profile = await reader.profile({ profiles, properties, id }, signal);
  if (profile === undefined) throw new Refusal('ProfileNotExist');
  return profile.id;
};
