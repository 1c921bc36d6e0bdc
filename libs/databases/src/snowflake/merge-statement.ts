import { type RecordValue, textOf } from '@penstock/schema';
import type { RowGroup } from '../merging/merge-batch';
import type { MergedColumn } from '../merging/merged-columns';
import { type BoundRow, boundParts } from './bound-rows';
import type { MergeTable } from './merge-table';
import { floatText, snowflakeName } from './snowflake-literal';

/** A value as the stage has it: a text that the cast of {@link castOf} makes the value of. */
const stagedText = ({ type, property }: MergedColumn, values: RecordValue): string | null => {
  const value = values[property] ?? null;
  if (value === null) return null;
  if (type.kind === 'float') return floatText(value as number);
  const text = textOf(type, value);
  return type.kind === 'datetime' ? text.replace('T', ' ').replace('Z', '') : text;
};

/** Names of the columns of a stage. */
const stagedNames = (columns: readonly MergedColumn[], table: MergeTable): readonly string[] =>
  columns.map((column) => `C${String(table.columns.indexOf(column))}`);

/** A statement with rows of values for its placeholders. */
interface BoundStatement {
  readonly text: string;
  readonly binds: readonly BoundRow[];
}

/** Statements that stage the rows of a group. */
export function* stageStatements(
  table: MergeTable,
  { columns, rows }: RowGroup,
): Generator<BoundStatement> {
  const names = stagedNames(columns, table).join(', ');
  const text = `INSERT INTO ${table.stage} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  const bound = rows.map(({ values }) => columns.map((column) => stagedText(column, values)));
  for (const binds of boundParts(bound)) yield { text, binds };
}

/** A staged text as a value of its column. */
const castOf = (column: MergedColumn, staged: string, table: MergeTable): string => {
  const type = table.castOf(column);
  switch (column.type.kind) {
    case 'string':
      return staged;
    case 'json':
      return type === 'VARIANT'
        ? `PARSE_JSON(${staged})`
        : `CAST(PARSE_JSON(${staged}) AS ${type})`;
    default:
      // Of times without their zone too: the session is in UTC.
      return `CAST(${staged} AS ${type})`;
  }
};

/** Merges what is staged of a group: rows with the keys are changed, and others added. */
export const mergeStatement = (
  table: MergeTable,
  { columns }: Pick<RowGroup, 'columns'>,
): string => {
  const staged = stagedNames(columns, table);
  const source = columns.map((column, index) => {
    const name = staged[index] ?? '';
    return `${castOf(column, name, table)} AS ${name}`;
  });
  const given = columns.map((column, index) => ({
    name: snowflakeName(column.name),
    value: `s.${staged[index] ?? ''}`,
    isKey: column.name === table.key.name,
  }));
  const key = given.find(({ isKey }) => isKey);
  const changed = given.filter(({ isKey }) => !isKey);
  const update = changed.map(({ name, value }) => `${name} = ${value}`).join(', ');
  return [
    `MERGE INTO ${table.place} AS t`,
    `USING (SELECT ${source.join(', ')} FROM ${table.stage}) AS s`,
    `ON t.${key?.name ?? ''} = ${key?.value ?? ''}`,
    ...(changed.length === 0 ? [] : [`WHEN MATCHED THEN UPDATE SET ${update}`]),
    `WHEN NOT MATCHED THEN INSERT (${given.map(({ name }) => name).join(', ')})`,
    `VALUES (${given.map(({ value }) => value).join(', ')})`,
  ].join('\n');
};
