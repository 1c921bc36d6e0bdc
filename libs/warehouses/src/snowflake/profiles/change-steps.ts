import type { ProfileSchema } from '@penstock/contracts';
import { snowflakeName, snowflakeText } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import type { Leaf } from '../../profiles/check-profile-schema';
import type { ProfilesDifference } from '../../profiles/profiles-difference';
import type { ProfilesStep } from '../../profiles/profiles-step';
import { columnType } from '../columns/column-type';
import { profileColumns } from '../columns/profile-columns';
import { createView } from '../layout/create-table';
import type { TableDefinition } from '../layout/table-definition';
import { tablesOf } from '../layout/tables';
import { OTHERS } from '../merging/merge-identities';
import { type Place, qualified } from '../sql/names';

/** A statement of a change of the schema of profiles, as it is recorded. */
export interface ChangeStep {
  readonly sql: string;
  /** Whether it changes rows: then it is executed and recorded in one transaction. Absent: it may be executed twice. */
  readonly changesRows?: true;
  /** Of one that renames a column: it is done where the table does not have the column. */
  readonly renames?: { readonly table: string; readonly column: string };
}

/** No property is called so: names of columns begin with a letter. */
const interim = (index: number): string => `_RENAMED_${String(index)}`;

const nameOf = ({ column }: Leaf): string => column.toUpperCase();

const propertyTables = ({ schema }: ProfileSchema): readonly TableDefinition[] =>
  tablesOf(profileColumns(schema)).filter(
    ({ name }) => name === '_IDENTITIES' || name === '_PROFILES',
  );

/** By way of names that nothing has, so that columns may exchange theirs. A name may be there of who had the warehouse before. */
const alterTable = (
  place: Place,
  table: string,
  { dropped, renamed, added }: ProfilesDifference,
): readonly ChangeStep[] => {
  const at = qualified(place, table);
  const rename = (from: string, to: string): ChangeStep => ({
    sql: `ALTER TABLE ${at} RENAME COLUMN ${snowflakeName(from)} TO ${snowflakeName(to)}`,
    renames: { table, column: from },
  });
  const made = [...added, ...renamed.map(({ to }) => to)];
  const gone = new Set([...dropped, ...made].map(nameOf));
  return [
    ...renamed.map(({ from }, index) => rename(nameOf(from), interim(index))),
    ...[...gone].map((name) => ({
      sql: `ALTER TABLE ${at} DROP COLUMN IF EXISTS ${snowflakeName(name)}`,
    })),
    ...added.map((leaf) => ({
      sql: `ALTER TABLE ${at} ADD COLUMN IF NOT EXISTS ${snowflakeName(nameOf(leaf))} ${columnType(leaf.type)}`,
    })),
    ...renamed.map(({ to }, index) => rename(interim(index), nameOf(to))),
  ];
};

/** The times of properties go with their columns: one that is added later has none. */
const moveTimes = (
  place: Place,
  { to, difference: { dropped, renamed, added } }: ProfilesStep,
): readonly ChangeStep[] => {
  const old = [...dropped, ...added, ...renamed.flatMap((each) => [each.from, each.to])];
  if (old.length === 0) return [];
  const names = new Map(renamed.map((each) => [nameOf(each.to), nameOf(each.from)]));
  const fresh = new Set(added.map(nameOf));
  const kept = profileColumns(to.schema).filter(({ name }) => !fresh.has(name));
  const time = (name: string): string => `"_PROPERTY_TIMES"[${snowflakeText(name)}]`;
  const members = [OTHERS, ...kept.map(({ name }) => name)].map(
    (name) => `${snowflakeText(name)}, ${time(names.get(name) ?? name)}`,
  );
  const isConcerned = [...new Set(old.map(nameOf))].map((name) => `${time(name)} IS NOT NULL`);
  return [
    {
      sql: `UPDATE ${qualified(place, '_IDENTITIES')} SET "_PROPERTY_TIMES" = OBJECT_CONSTRUCT(${members.join(', ')})
            WHERE ${isConcerned.join(' OR ')}`,
      changesRows: true,
    },
  ];
};

const markAll = (place: Place): ChangeStep => ({
  sql: `MERGE INTO ${qualified(place, '_DIRTY')} AS d USING ${qualified(place, '_IDENTITIES')} AS i ON d."IDENTITY" = i."_ID"
        WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
        VALUES (i."_ID", CURRENT_TIMESTAMP(), 'changed', i."_PROFILE_ID")`,
  changesRows: true,
});

/** Source: Snowflake, "Numeric data types". */
const MAX_DIGITS = { precision: 38, scale: 37 };

/** @throws WarehouseFault unsupported */
const checkSupported = ({ added }: ProfilesDifference): void => {
  for (const { path, type } of added)
    if (
      type.kind === 'decimal' &&
      (type.precision > MAX_DIGITS.precision || type.scale > MAX_DIGITS.scale)
    )
      throw new WarehouseFault(
        'unsupported',
        `${path}: Snowflake has no decimal with more than 38 digits, or 37 after the point`,
      );
};

/**
 * The steps that change the schema of profiles, without the last one, which makes its version hold.
 *
 * @throws WarehouseFault unsupported
 */
export const changeSteps = (place: Place, step: ProfilesStep): readonly ChangeStep[] => {
  const { from, to, difference, marksAll } = step;
  checkSupported(difference);
  const tables = propertyTables(to);
  const old = propertyTables(from);
  const isSame = tables.every((table, index) => {
    const names = old[index]?.columns.map(({ name }) => name).join();
    return names === table.columns.map(({ name }) => name).join();
  });
  const isAltered = difference.added.length + difference.dropped.length > 0;
  return [
    ...tables.flatMap(({ name }) => alterTable(place, name, difference)),
    ...moveTimes(place, step),
    ...(isSame && !isAltered
      ? []
      : tables.map((table) => ({ sql: createView(place, table, table.view ?? '') }))),
    ...(marksAll ? [markAll(place)] : []),
  ];
};

/** A statement that makes a version of the schema of profiles hold, and forgets the change. */
export const endChange = (place: Place, version: number): string =>
  `UPDATE ${qualified(place, '_META')} SET "SCHEMA_VERSION" = ${String(version)},
   "CHANGING" = NULL, "CHANGED" = NULL, "CHANGING_TO" = NULL`;

/** The statements of a change as people see them, in their order. @throws WarehouseFault unsupported */
export const changeQueries = (place: Place, step: ProfilesStep): readonly string[] => [
  ...changeSteps(place, step).map(({ sql }) => sql),
  endChange(place, step.to.version),
];
