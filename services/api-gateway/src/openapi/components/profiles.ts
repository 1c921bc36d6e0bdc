import type { IdentityView, LatestProfileChange } from '@penstock/contracts';
import {
  arrayOf,
  described,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, page, withExample } from './answer';

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
  Identity: IDENTITY,
  IdentityList: page('identities', 'Identity', IDENTITY),
};
