import { textOf, type Type, type Value } from '@penstock/schema';
import { escapeIdentifier } from 'pg';
import type { RowGroup } from '../merging/merge-batch';
import type { MergeTable } from './merge-table';

/** A statement with one array of texts for each column. */
interface MergeStatement {
  /** Whether the server counts every row of the group as written; else rows that are there count as none. */
  readonly countsAll: boolean;
  readonly text: string;
  readonly values: readonly (readonly (string | null)[])[];
}

const quotedElement = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Bits of any number, in the words of the server: without quotes it is one bit. */
const BIT = '"bit"';

/** A value as the server reads it from a text. @param input the type in the words of the server */
const inputText = (type: Type, value: Value, input: string): string | null => {
  if (value === null) return null;
  if (type.kind === 'boolean' && input === BIT) return value === true ? '1' : '0';
  if (type.kind !== 'array') return textOf(type, value);
  const { elementType } = type;
  const elements = value as readonly Value[];
  return `{${elements.map((each) => quotedElement(textOf(elementType, each))).join(',')}}`;
};

/**
 * The statement that merges a group. Values are parameters: texts that the server reads as the type of the column
 * without its length, so that a text that is too long is refused, as it is in any `INSERT`.
 */
export const mergeStatement = (
  { place, key, isUnique, types }: MergeTable,
  { columns, rows }: RowGroup,
): MergeStatement => {
  const names = columns.map(({ name }) => escapeIdentifier(name));
  const inputs = columns.map((_, index) => `c${String(index)}`);
  const arrays = columns.map((_, index) => `$${String(index + 1)}::text[]`);
  const casts = columns.map(
    ({ name }, index) =>
      `c${String(index)}::${types.get(name) ?? 'text'} AS ${escapeIdentifier(name)}`,
  );
  const given = `SELECT ${casts.join(', ')} FROM unnest(${arrays.join(', ')}) AS given (${inputs.join(', ')})`;
  const id = escapeIdentifier(key.name);
  const changed = columns
    .filter(({ name }) => name !== key.name)
    .map(({ name }) => escapeIdentifier(name));
  const set = (from: string): string =>
    changed.map((name) => `${name} = ${from}.${name}`).join(', ');
  const inserted = `INSERT INTO ${place} (${names.join(', ')})`;
  const values = columns.map(({ name, property, type }) =>
    rows.map((row) => inputText(type, row.values[property] ?? null, types.get(name) ?? 'text')),
  );
  if (isUnique) {
    const action = changed.length === 0 ? 'NOTHING' : `UPDATE SET ${set('excluded')}`;
    const text = `${inserted} ${given} ON CONFLICT (${id}) DO ${action}`;
    return { text, values, countsAll: changed.length > 0 };
  }
  // The statement sees the table as it was before it, so that the same rows are updated that are not inserted.
  const update = `updated AS (UPDATE ${place} AS t SET ${set('given')} FROM given WHERE t.${id} = given.${id}), `;
  return {
    text:
      `WITH given AS MATERIALIZED (${given}), ${changed.length === 0 ? '' : update}` +
      `present AS (SELECT DISTINCT given.${id} FROM given JOIN ${place} AS t ON t.${id} = given.${id}) ` +
      `${inserted} SELECT ${names.join(', ')} FROM given WHERE ${id} NOT IN (SELECT ${id} FROM present)`,
    values,
    countsAll: false,
  };
};
