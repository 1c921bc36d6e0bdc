import type {
  IdentityView,
  LatestProfileChange,
  LinkedIdentityView,
  LinkView,
  PastView,
  ProfileView,
} from '@penstock/contracts';
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

const PIPELINE = described(TEXT, 'The pipeline that writes it.');

const USER_ID = described(TEXT, 'Absent for an anonymous identity.');

const IDENTITY = withExample(
  object<Exclude<keyof IdentityView, 'userId' | 'anonymousIds'>>(
    {
      connection: TEXT,
      pipeline: PIPELINE,
      profile: orNull(described(TEXT, 'Id of its profile. Null until it is resolved.')),
      updatedAt: described(TIME, 'The greatest time of its updates, to the microsecond.'),
    },
    {
      userId: USER_ID,
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

const RULE: JsonSchema = { enum: ['a', 'b', 'c', 'd'] };

const PROFILES_OF_PAST = [0, 1].map((n) => `c0ffee00-0000-4000-8000-00000000000${String(n)}`);

const PAST = withExample(
  object<keyof PastView>({
    type: { enum: ['ProfileCreated', 'ProfilesMerged', 'ProfileSplit', 'ProfileDeleted'] },
    time: TIME,
    from: described(
      arrayOf({ type: 'string', format: 'uuid' }),
      'The profiles that there were before, that which stays first; at most 101.',
    ),
    to: described(
      arrayOf({ type: 'string', format: 'uuid' }),
      'The profiles that there are in their place.',
    ),
    reason: orNull(
      described(
        { enum: ['removed', 'changed', 'erased'] },
        'Why it was split or is gone: identities were removed; or values, owners or identifiers are others; or the person was erased.',
      ),
    ),
    joinedBy: described(
      arrayOf(object<keyof PastView['joinedBy'][number]>({ rule: RULE, identifier: orNull(TEXT) })),
      'What has joined each of the absorbed profiles, in their order.',
    ),
  }),
  {
    ...{ type: 'ProfilesMerged', time: '2026-03-01T09:30:00.123456Z', reason: null },
    from: PROFILES_OF_PAST,
    to: PROFILES_OF_PAST.slice(0, 1),
    joinedBy: [{ rule: 'd', identifier: 'email' }],
  },
);

const LINK = withExample(
  object<keyof LinkView>({
    rule: RULE,
    identifier: orNull(described(TEXT, 'Path of the identifier of rule `d`. Else null.')),
    value: orNull(
      described(
        TEXT,
        'The record id, or the value of the identifier. Null when it is longer than 2,000 bytes.',
      ),
    ),
    identities: described(
      arrayOf(
        object<Exclude<keyof LinkedIdentityView, 'userId' | 'anonymousIds'>>(
          { connection: TEXT, pipeline: PIPELINE },
          {
            userId: USER_ID,
            anonymousIds: described(arrayOf(TEXT), 'That of an anonymous identity. Else absent.'),
          },
        ),
      ),
      'Those that were made first, at most 100. Each is joined directly with another one of the link.',
    ),
    count: described(INTEGER, 'How many there are.'),
  }),
  {
    rule: 'd',
    identifier: 'email',
    value: 'ada@example.com',
    identities: ['ada', '4711'].map((userId) => ({
      ...{ userId, connection: EXAMPLE_ID, pipeline: EXAMPLE_ID },
    })),
    count: 2,
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
  PastOfProfile: PAST,
  ProfileHistory: page('history', 'PastOfProfile', PAST),
  ProfileLink: LINK,
  ProfileLinkList: page('links', 'ProfileLink', LINK),
};
