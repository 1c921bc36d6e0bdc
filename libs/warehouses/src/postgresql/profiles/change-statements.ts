import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Leaf } from '../../profiles/check-profile-schema';
import type { ProfilesDifference } from '../../profiles/profiles-difference';
import type { ProfilesStep } from '../../profiles/profiles-step';
import type { ProfileSchema } from '@penstock/contracts';
import { columnType } from '../columns/column-type';
import { profileColumns } from '../columns/profile-columns';
import { viewSelect } from '../layout/view-select';
import type { TableDefinition } from '../layout/table-definition';
import { tablesOf } from '../layout/tables';
import { qualified } from '../sql/names';

/** The statements of a change. The rights on views that are made anew are granted again between the last two groups. */
export interface ChangeStatements {
  /** Names of the views that are dropped and made anew; empty where they can be replaced in place. */
  readonly anew: readonly string[];
  /** In the order of execution, after the views and their tables were locked. */
  readonly before: readonly string[];
  /** Makes the views as they must be. */
  readonly views: readonly string[];
  readonly after: readonly string[];
}

/** No property is called so: names of columns begin with a letter. */
const interim = (index: number): string => `_renamed_${String(index)}`;

const propertyTables = ({ schema }: ProfileSchema): readonly TableDefinition[] =>
  tablesOf(profileColumns(schema)).filter(
    ({ name }) => name === '_identities' || name === '_profiles',
  );

/** A column that is added begins empty, and one gets a name that is free, whatever the table has under its name: a former workspace may have had it. */
const alterColumns = (
  table: string,
  { dropped, renamed, added }: ProfilesDifference,
): readonly string[] => {
  const made = [...added, ...renamed.map(({ to }) => to)];
  const gone = new Set([...dropped, ...made].map(({ column }) => column));
  const actions = [
    ...[...gone].map((column) => `DROP COLUMN IF EXISTS ${escapeIdentifier(column)}`),
    ...added.map(
      ({ column, type }) => `ADD COLUMN ${escapeIdentifier(column)} ${columnType(type)}`,
    ),
  ];
  return actions.length === 0 ? [] : [`ALTER TABLE ${table} ${actions.join(', ')}`];
};

const rename = (table: string, from: string, to: string): string =>
  `ALTER TABLE ${table} RENAME COLUMN ${escapeIdentifier(from)} TO ${escapeIdentifier(to)}`;

/** By way of names that nothing has, so that columns may exchange theirs. */
const alterTable = (table: string, difference: ProfilesDifference): readonly string[] => [
  ...difference.renamed.map(({ from }, index) => rename(table, from.column, interim(index))),
  ...alterColumns(table, difference),
  ...difference.renamed.map(({ to }, index) => rename(table, interim(index), to.column)),
];

const texts = (leaves: readonly Leaf[]): string =>
  leaves.map(({ column }) => escapeLiteral(column)).join(', ');

/** The times of properties go with their columns: one that is added later has none. */
const moveTimes = (
  schema: string,
  { dropped, renamed, added }: ProfilesDifference,
): readonly string[] => {
  const moved = new Set(renamed.map(({ from }) => from.column));
  const free = renamed.map(({ to }) => to);
  // A name that another property takes over is moved from first.
  const gone = [...dropped, ...added, ...free].filter(({ column }) => !moved.has(column));
  const old = [...gone, ...renamed.map(({ from }) => from)];
  if (old.length === 0) return [];
  const pairs = renamed.map(
    ({ from, to }) => `(${escapeLiteral(from.column)}, ${escapeLiteral(to.column)})`,
  );
  const names = pairs.length === 0 ? `SELECT '', '' WHERE false` : `VALUES ${pairs.join(', ')}`;
  const without = gone.length === 0 ? '' : ` WHERE t.key NOT IN (${texts(gone)})`;
  return [
    `UPDATE ${qualified(schema, '_identities')} SET _property_times = (
       SELECT coalesce(jsonb_object_agg(coalesce(n.new, t.key), t.value), '{}')
       FROM jsonb_each(_property_times) AS t (key, value)
       LEFT JOIN (${names}) AS n (old, new) ON n.old = t.key${without})
     WHERE _property_times ?| ARRAY[${texts(old)}]`,
  ];
};

const markAll = (schema: string): string =>
  `INSERT INTO ${qualified(schema, '_dirty')} (identity, change, profile_id)
   SELECT _id, 'changed', _profile_id FROM ${qualified(schema, '_identities')}
   ON CONFLICT (identity) DO NOTHING`;

/** Whether a view can be replaced in place: it only gets more columns, behind those that it has. */
const isLonger = (one: TableDefinition, other: TableDefinition): boolean =>
  one.columns.every(({ name }, index) => other.columns[index]?.name === name);

/** The statements that change the schema of profiles, within one transaction. */
export const changeStatements = (schema: string, step: ProfilesStep): ChangeStatements => {
  const { from, to, difference, marksAll } = step;
  const old = propertyTables(from);
  const tables = propertyTables(to);
  const { dropped, renamed } = difference;
  const isInPlace =
    dropped.length + renamed.length === 0 &&
    tables.every((table, index) => isLonger(old[index] ?? table, table));
  const views = tables.map(({ view = '' }) => view);
  const isRedrawn = dropped.length + renamed.length + difference.added.length > 0 || !isInPlace;
  const anew = isInPlace ? [] : views;
  return {
    anew,
    before: [
      ...anew.map((view) => `DROP VIEW ${qualified(schema, view)}`),
      ...tables.flatMap(({ name }) => alterTable(qualified(schema, name), difference)),
      ...moveTimes(schema, difference),
    ],
    views: isRedrawn
      ? tables.map(
          (table) =>
            `CREATE OR REPLACE VIEW ${qualified(schema, table.view ?? '')} AS ${viewSelect(schema, table)}`,
        )
      : [],
    after: [
      ...(marksAll ? [markAll(schema)] : []),
      `UPDATE ${qualified(schema, '_meta')} SET schema_version = ${String(to.version)}`,
    ],
  };
};
