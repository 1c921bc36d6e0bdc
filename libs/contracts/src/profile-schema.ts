import { parseJson, parseSchema, type Schema } from '@penstock/schema';

/** The schema of profiles in one of its versions. Every change has the next version. */
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
