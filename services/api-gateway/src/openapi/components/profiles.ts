import type { IdentityView, LatestProfileChange, ProfileView } from '@penstock/contracts';
import {
  ANY_OBJECT,
  arrayOf,
  described,
  INTEGER,
  type JsonSchema,
  object,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { CURSOR, EXAMPLE_ID, page, withExample } from './answer';

const AFFECTED = described(
  arrayOf(TEXT),
  'Ids of the pipelines whose output is no part of the schema: their runs fail until they are updated.',
);

const IDENTITY = withExample(
  object<Exclude<keyof IdentityView, 'userId' | 'anonymousIds'>>(
    {
      connection: TEXT,
      pipeline: described(TEXT, 'The pipeline that writes it.'),
      profile: orNull(described(TEXT, 'Id of its profile. Null until it is resolved.')),
      updatedAt: described(TIME, 'The greatest time of its updates, to the microsecond.'),
    },
    {
      userId: described(TEXT, 'Absent for an anonymous identity.'),
      anonymousIds: described(
        arrayOf(TEXT),
        'Linked with the user, the earliest first, at most 500; the only one of an anonymous identity. Absent without any.',
      ),
    },
  ),
  {
    userId: 'ada',
    anonymousIds: ['0f6e9c1e-5d0b-4f6e-9a57-1a2b3c4d5e6f'],
    connection: EXAMPLE_ID,
    pipeline: EXAMPLE_ID,
    profile: null,
    updatedAt: '2026-03-01T09:30:00.123456Z',
  },
);

const UUID: JsonSchema = { type: 'string', format: 'uuid' };

const ATTRIBUTES = described(
  ANY_OBJECT,
  'The properties that it has, by the schema of profiles; the others are left out.',
);

const EXAMPLE_ATTRIBUTES = { email: 'ada@example.com', first_name: 'Ada' };

const EXAMPLE_SCHEMA = {
  kind: 'object',
  properties: ['email', 'first_name'].map((name) => ({
    ...{ name, type: { kind: 'string' }, readOptional: true, description: '' },
  })),
};

const PROFILE = withExample(
  object<keyof ProfileView>(
    {
      id: UUID,
      createdAt: described(TIME, 'When its id was made, to the microsecond.'),
      updatedAt: described(TIME, "The greatest of its identities', to the microsecond."),
      attributes: ATTRIBUTES,
    },
    {
      mergedFrom: described(
        UUID,
        'The id that was asked for, when it was merged into that of this profile. Else absent.',
      ),
    },
  ),
  {
    id: 'c0ffee00-0000-4000-8000-000000000001',
    createdAt: '2026-03-01T09:00:00.000000Z',
    updatedAt: '2026-03-01T09:30:00.123456Z',
    attributes: EXAMPLE_ATTRIBUTES,
  },
);

export const PROFILES: Readonly<Record<string, JsonSchema>> = {
  ProfileSchemaChange: withExample(object({ affectedPipelines: AFFECTED }), {
    affectedPipelines: [EXAMPLE_ID],
  }),
  ProfileSchemaPreview: withExample(
    object({
      queries: described(
        arrayOf(TEXT),
        'Statements on the data warehouse, in their order; rights on views are kept.',
      ),
      affectedPipelines: AFFECTED,
    }),
    {
      queries: ['ALTER TABLE "public"."_profiles" RENAME COLUMN "mail" TO "email"'],
      affectedPipelines: [EXAMPLE_ID],
    },
  ),
  LatestProfileSchemaChange: withExample(
    object<keyof LatestProfileChange>({
      startTime: orNull(described(TIME, 'Null: the schema was never changed.')),
      endTime: orNull(described(TIME, 'Null: it is under way.')),
      error: orNull(described(TEXT, 'Null: it has not failed.')),
    }),
    { startTime: '2026-03-01T09:30:00.000Z', endTime: '2026-03-01T09:30:01.000Z', error: null },
  ),
  Profile: PROFILE,
  ProfileList: withExample(
    object({
      profiles: arrayOf(ref('Profile')),
      schema: described(ref('Schema'), 'Of the properties that are wanted.'),
      total: orNull(
        described(INTEGER, 'How many match on all pages. Null unless `count` is `true`.'),
      ),
      cursor: CURSOR,
    }),
    { profiles: PROFILE['examples'] ?? [], schema: EXAMPLE_SCHEMA, total: 1, cursor: '' },
  ),
  ProfileAttributes: withExample(object({ attributes: ATTRIBUTES }), {
    attributes: EXAMPLE_ATTRIBUTES,
  }),
  Identity: IDENTITY,
  IdentityList: page('identities', 'Identity', IDENTITY),
};
