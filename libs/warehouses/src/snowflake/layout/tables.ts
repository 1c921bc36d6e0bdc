import type { ProfileColumn } from '../columns/profile-columns';
import { EVENTS_TABLE } from './events-table';
import {
  type ColumnDefinition,
  columns,
  COUNT,
  MOMENT,
  type TableDefinition,
  TEXT,
  UUID,
} from './table-definition';

const required = (name: string, type: string, fallback: string): ColumnDefinition => ({
  ...{ name, type, required: true, fallback },
});

/** A moment that rows get when they are made. */
const made = (name: string): ColumnDefinition => required(name, MOMENT, 'CURRENT_TIMESTAMP()');

/** A column in which the server numbers the rows in the order in which they are made. */
const numbered = (name: string): ColumnDefinition => ({
  ...{ name, type: COUNT, required: true, numbered: true },
});

/** Who the warehouse is of. Whoever writes locks its only row first. */
export const META_TABLE: TableDefinition = {
  name: '_META',
  columns: [
    ...columns(TEXT, 'WORKSPACE!'),
    required('WAREHOUSE', UUID, 'UUID_STRING()'),
    ...columns(COUNT, 'LAYOUT!'),
    made('CREATED_AT'),
    required('SCHEMA_VERSION', COUNT, '1'),
    // While the schema of profiles is being changed: the steps as JSON, how many are done, and the version that it gets.
    ...columns(TEXT, 'CHANGING'),
    ...columns(COUNT, 'CHANGED', 'CHANGING_TO'),
  ],
  primaryKey: ['WORKSPACE'],
};

const FENCES: TableDefinition = {
  name: '_FENCES',
  columns: [...columns(TEXT, 'ROLE!'), ...columns(COUNT, 'EPOCH!'), made('BEGUN_AT')],
  primaryKey: ['ROLE'],
  staying: 'EPOCH DESC',
};

const propertyColumns = (profile: readonly ProfileColumn[]): readonly ColumnDefinition[] =>
  profile.map(({ name, sqlType }) => ({ name, type: sqlType }));

const identities = (profile: readonly ProfileColumn[]): TableDefinition => ({
  name: '_IDENTITIES',
  view: 'IDENTITIES',
  columns: [
    numbered('_ID'),
    ...columns(TEXT, '_CONNECTION!', '_PIPELINE!', '_RECORD_ID!'),
    ...columns('BOOLEAN', '_ANONYMOUS!'),
    ...columns('ARRAY', '_ANONYMOUS_IDS', '_PREVIOUS_IDS'),
    made('_UPDATED_AT'),
    ...columns('VARIANT', '_PROPERTY_TIMES', '_ANONYMOUS_TIMES'),
    ...columns(TEXT, '_RUN'),
    ...columns(UUID, '_PROFILE_ID'),
    ...propertyColumns(profile),
  ],
  primaryKey: ['_ID'],
  unique: ['_PIPELINE', '_ANONYMOUS', '_RECORD_ID'],
});

const profiles = (profile: readonly ProfileColumn[]): TableDefinition => ({
  name: '_PROFILES',
  view: 'PROFILES',
  columns: [
    ...columns(UUID, '_PROFILE_ID!'),
    made('_CREATED_AT'),
    made('_UPDATED_AT'),
    required('_IDENTITIES', COUNT, '0'),
    ...propertyColumns(profile),
  ],
  primaryKey: ['_PROFILE_ID'],
  staying: '_UPDATED_AT DESC',
});

/** What identity resolution keeps. */
const RESOLUTION: readonly TableDefinition[] = [
  {
    name: '_IDENTITY_KEYS',
    columns: [...columns(TEXT, 'KIND!', 'KEY!'), ...columns(COUNT, 'MASK!', 'IDENTITY!')],
    primaryKey: ['IDENTITY', 'KIND', 'KEY'],
  },
  {
    name: '_PROFILE_ALIASES',
    columns: columns(UUID, 'ALIAS!', 'PROFILE_ID!'),
    primaryKey: ['ALIAS'],
  },
  {
    name: '_DIRTY',
    columns: [
      ...columns(COUNT, 'IDENTITY!'),
      made('SINCE'),
      required('CHANGE', TEXT, `'changed'`),
      ...columns(UUID, 'PROFILE_ID'),
    ],
    primaryKey: ['IDENTITY'],
    staying: 'SINCE',
  },
  {
    name: '_MOVING',
    columns: [
      ...columns(TEXT, 'CONNECTION!'),
      ...columns('BOOLEAN', 'ANONYMOUS!'),
      ...columns(TEXT, 'RECORD_ID!'),
    ],
    primaryKey: ['CONNECTION', 'ANONYMOUS', 'RECORD_ID'],
  },
  {
    name: '_OUTBOX',
    columns: [
      numbered('ID'),
      ...columns(UUID, 'PROFILE_ID!'),
      ...columns('VARIANT', 'FACT!'),
      made('AT'),
    ],
    primaryKey: ['ID'],
  },
  {
    name: '_PROFILE_HISTORY',
    columns: [
      ...columns(UUID, 'PROFILE_ID!'),
      ...columns(COUNT, 'ID!'),
      ...columns('VARIANT', 'FACT!'),
      ...columns(MOMENT, 'AT!'),
    ],
    // Numbers begin anew where the outbox was lost and made again: times go on.
    primaryKey: ['PROFILE_ID', 'AT', 'ID'],
  },
];

/** What the erasure of people keeps. */
const ERASURE: readonly TableDefinition[] = [
  { name: '_ERASED', columns: columns(TEXT, 'CONNECTION!', 'HASH!'), primaryKey: ['HASH'] },
  {
    name: '_ERASED_PROFILES',
    columns: [...columns(UUID, 'PROFILE_ID!'), ...columns(TEXT, 'ERASURE!')],
    primaryKey: ['PROFILE_ID'],
  },
  {
    name: '_ERASURES',
    columns: [
      ...columns(TEXT, 'ERASURE!'),
      made('TAKEN_AT'),
      ...['PROFILES', 'IDENTITIES', 'HISTORY', 'EVENTS'].map((name) => required(name, COUNT, '0')),
    ],
    primaryKey: ['ERASURE'],
  },
  {
    name: '_ERASING',
    columns: [
      numbered('PLACE'),
      ...columns(TEXT, 'ERASURE!', 'CONNECTION!'),
      ...columns('BOOLEAN', 'ANONYMOUS!'),
      ...columns(TEXT, 'RECORD_ID!'),
    ],
    primaryKey: ['PLACE'],
  },
];

const MATCHES: TableDefinition = {
  name: '_MATCHES',
  columns: columns(TEXT, 'PIPELINE!', 'EXTERNAL_ID!', 'VALUE!'),
  primaryKey: ['PIPELINE', 'EXTERNAL_ID'],
};

const SEEN: TableDefinition = {
  name: '_SEEN',
  columns: [
    ...columns(TEXT, 'RUN!', 'RECORD_ID!', 'OUTCOME!'),
    required('BATCH', COUNT, '0'),
    ...columns(COUNT, 'UPDATED_AT_US'),
  ],
  primaryKey: ['RUN', 'RECORD_ID'],
};

/** Every table of a warehouse but {@link META_TABLE}, by the columns of its profile schema. */
export const tablesOf = (profile: readonly ProfileColumn[]): readonly TableDefinition[] => [
  FENCES,
  EVENTS_TABLE,
  ...RESOLUTION,
  identities(profile),
  profiles(profile),
  ...ERASURE,
  MATCHES,
  SEEN,
];
