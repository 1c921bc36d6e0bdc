import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { WarehouseState } from './state';
import type { PrimarySources, RecordedProfiles } from './warehouse.facts';

/** The schema of profiles in one of its versions. Every change has a greater version. */
export interface ProfileSchema {
  /** 1 for the first one of a workspace. */
  readonly version: number;
  readonly schema: Schema;
}

const text = (name: string, description: string) => ({
  name,
  type: { kind: 'string' },
  readOptional: true,
  description,
});

/** The schema of profiles that a new workspace has. */
export const FIRST_PROFILE_SCHEMA: ProfileSchema = {
  version: 1,
  schema: parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [
          text('email', 'Email address'),
          text('first_name', 'First name'),
          text('last_name', 'Last name'),
        ],
      }),
    ),
  ),
};

/** A schema has up to a thousand columns: each recorded one is parsed once. */
const PARSED = new WeakMap<RecordedProfiles, ProfileSchema>();

/** The schema of the profiles of a workspace, by the state of its warehouse. The first one until it is changed. */
export const profilesOf = ({ profiles }: Pick<WarehouseState, 'profiles'>): ProfileSchema => {
  if (profiles === undefined) return FIRST_PROFILE_SCHEMA;
  const known = PARSED.get(profiles);
  if (known !== undefined) return known;
  const { version } = profiles;
  const parsed = { version, schema: parseSchema(parseJson(profiles.schema)) };
  PARSED.set(profiles, parsed);
  return parsed;
};

/** The primary sources of the properties of the profiles of a workspace. */
export const primarySourcesOf = ({ profiles }: Pick<WarehouseState, 'profiles'>): PrimarySources =>
  profiles?.primarySources ?? {};
