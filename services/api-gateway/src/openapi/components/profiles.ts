import type { LatestProfileChange } from '@penstock/contracts';
import {
  arrayOf,
  described,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, withExample } from './answer';

const AFFECTED = described(
  arrayOf(TEXT),
  'Ids of the pipelines whose output is no part of the schema: their runs fail until they are updated.',
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
};
