import type { ProfileColumn } from '../columns/profile-columns';
import { EVENTS_TABLE } from './events-table';
import { type ColumnDefinition, columns, type TableDefinition } from './table-definition';

const moment = 'timestamp with time zone';

/** Who the warehouse is of, and what may write into it. */
export const META_TABLE: TableDefinition = {
  name: '_meta',
  columns: [
    ...columns('workspace! text'),
    { name: 'warehouse', type: 'uuid', required: true, fallback: 'gen_random_uuid()' },
    ...columns('layout! integer'),
    { name: 'created_at', type: moment, required: true, fallback: 'now()' },
    { name: 'schema_version', type: 'integer', required: true, fallback: '1' },
  ],
  primaryKey: ['workspace'],
  indexes: [],
};

const FENCES: TableDefinition = {
  name: '_fences',
  columns: [
    ...columns('role! text', 'epoch! bigint'),
    { name: 'begun_at', type: moment, required: true, fallback: 'now()' },
  ],
  primaryKey: ['role'],
  indexes: [],
  staying: 'epoch DESC',
};

const numbered: Pick<ColumnDefinition, 'type' | 'required' | 'numbered'> = {
  type: 'bigint',
  required: true,
  numbered: true,
};

const propertyColumns = (profile: readonly ProfileColumn[]): readonly ColumnDefinition[] =>
  profile.map(({ name, sqlType }) => ({ name, type: sqlType }));

const identities = (profile: readonly ProfileColumn[]): TableDefinition => ({
  name: '_identities',
  view: 'identities',
  columns: [
    { name: '_id', ...numbered },
    ...columns('_connection! text', '_pipeline! text', '_record_id! text', '_anonymous! boolean'),
    { name: '_anonymous_ids', type: 'text[]', required: true, fallback: `'{}'` },
    { name: '_previous_ids', type: 'text[]', required: true, fallback: `'{}'` },
    { name: '_updated_at', type: moment, required: true, fallback: 'now()' },
    { name: '_property_times', type: 'jsonb', required: true, fallback: `'{}'` },
    { name: '_anonymous_times', type: 'jsonb', required: true, fallback: `'{}'` },
    ...columns('_run text', '_profile_id uuid'),
    ...propertyColumns(profile),
  ],
  primaryKey: ['_id'],
  unique: ['_pipeline', '_anonymous', '_record_id'],
  indexes: [['_profile_id'], ['_connection', '_id']],
  // Nothing looks for the identities of a run, and each import would write to every index because of it.
  retired: [['_pipeline', '_run']],
});

const profiles = (profile: readonly ProfileColumn[]): TableDefinition => ({
  name: '_profiles',
  view: 'profiles',
  columns: [
    ...columns('_profile_id! uuid'),
    { name: '_created_at', type: moment, required: true, fallback: 'now()' },
    { name: '_updated_at', type: moment, required: true, fallback: 'now()' },
    { name: '_identities', type: 'bigint', required: true, fallback: '0' },
    ...propertyColumns(profile),
  ],
  primaryKey: ['_profile_id'],
  indexes: [['_updated_at']],
  staying: '_updated_at DESC',
});

/** What identity resolution keeps. */
const RESOLUTION: readonly TableDefinition[] = [
  {
    name: '_identity_keys',
    columns: columns('kind! text', 'key! text', 'mask! integer', 'identity! bigint'),
    primaryKey: ['identity', 'kind', 'key'],
    indexes: [['kind', 'key']],
  },
  {
    name: '_profile_aliases',
    columns: columns('alias! uuid', 'profile_id! uuid'),
    primaryKey: ['alias'],
    indexes: [['profile_id']],
  },
  {
    name: '_dirty',
    columns: [
      ...columns('identity! bigint'),
      { name: 'since', type: moment, required: true, fallback: 'now()' },
      { name: 'change', type: 'text', required: true, fallback: `'changed'` },
      ...columns('profile_id uuid'),
    ],
    primaryKey: ['identity'],
    indexes: [['since', 'identity']],
    staying: 'since',
  },
  {
    name: '_moving',
    columns: columns('connection! text', 'anonymous! boolean', 'record_id! text'),
    primaryKey: ['connection', 'anonymous', 'record_id'],
    indexes: [],
  },
  {
    name: '_outbox',
    columns: [
      { name: 'id', ...numbered },
      ...columns('profile_id! uuid', 'fact! jsonb'),
      { name: 'at', type: moment, required: true, fallback: 'now()' },
    ],
    primaryKey: ['id'],
    indexes: [],
  },
  {
    name: '_profile_history',
    columns: [
      ...columns('profile_id! uuid', 'id! bigint', 'fact! jsonb'),
      { name: 'at', type: moment, required: true },
    ],
    // Numbers begin anew where the outbox was lost and made again: times go on.
    primaryKey: ['profile_id', 'at', 'id'],
    indexes: [],
  },
];

/** What the erasure of people keeps. */
const ERASURE: readonly TableDefinition[] = [
  {
    name: '_erased',
    columns: columns('connection! text', 'hash! text'),
    primaryKey: ['hash'],
    indexes: [],
  },
  {
    name: '_erased_profiles',
    columns: columns('profile_id! uuid', 'erasure! text'),
    primaryKey: ['profile_id'],
    indexes: [],
  },
  {
    name: '_erasures',
    columns: [
      ...columns('erasure! text'),
      { name: 'taken_at', type: moment, required: true, fallback: 'now()' },
      ...['profiles', 'identities', 'history', 'events'].map((name) => ({
        ...{ name, type: 'bigint', required: true as const, fallback: '0' },
      })),
    ],
    primaryKey: ['erasure'],
    indexes: [],
  },
  {
    name: '_erasing',
    columns: [
      { name: 'place', ...numbered },
      ...columns('erasure! text', 'connection! text', 'anonymous! boolean', 'record_id! text'),
    ],
    primaryKey: ['place'],
    indexes: [['erasure', 'place']],
  },
];

const MATCHES: TableDefinition = {
  name: '_matches',
  columns: columns('pipeline! text', 'external_id! text', 'value! text'),
  primaryKey: ['pipeline', 'external_id'],
  indexes: [['pipeline', 'value']],
};

const SEEN: TableDefinition = {
  name: '_seen',
  columns: [
    ...columns('run! text', 'record_id! text', 'outcome! text'),
    { name: 'batch', type: 'bigint', required: true, fallback: '0' },
    ...columns('updated_at_us bigint'),
  ],
  primaryKey: ['run', 'record_id'],
  indexes: [],
};

/** Every table of a warehouse but {@link META_TABLE}, by the columns of its profile schema. */
export const tablesOf = (profile: readonly ProfileColumn[]): readonly TableDefinition[] => [
  FENCES,
  EVENTS_TABLE,
  // Before the identities: reducing those that have a key in common marks what stays.
  ...RESOLUTION,
  identities(profile),
  profiles(profile),
  ...ERASURE,
  MATCHES,
  SEEN,
];
