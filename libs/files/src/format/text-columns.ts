import { newRecord, type Property, type Schema, type Type } from '@penstock/schema';
import type { FileRecord } from './file-format';
import { columnProblem } from './property-names';

/** Most columns of a file without types. */
export const MAX_COLUMNS = 1_000;

/** NUL, or half a character, which is also what bytes become that are not UTF-8. */
const UNCLEAN = /[\0\p{Cs}]/u;

/** A property as a file gives it. */
export const propertyOf = (
  name: string,
  type: Type,
  traits: Partial<Pick<Property, 'nullable' | 'readOptional'>> = {},
): Property => ({
  name,
  type,
  prefilled: '',
  createRequired: false,
  updateRequired: false,
  readOptional: false,
  nullable: false,
  description: '',
  ...traits,
});

/** A schema of these properties. */
export const schemaOf = (properties: readonly Property[]): Schema => ({
  kind: 'object',
  properties,
});

/** A schema whose properties are all texts. */
export const textSchema = (names: readonly string[]): Schema =>
  schemaOf(names.map((name) => propertyOf(name, { kind: 'string' })));

/** A column that is read. */
export interface TextColumn {
  /** From 0. */
  readonly index: number;
  /** Of the property that it becomes. */
  readonly name: string;
}

/** The columns that are read. @param wanted names of properties; absent: all */
export const textColumns = (
  names: readonly string[],
  wanted?: ReadonlySet<string>,
): readonly TextColumn[] =>
  names.map((name, index) => ({ index, name })).filter(({ name }) => wanted?.has(name) !== false);

const NOT_CLEAN = 'is not UTF-8, or holds NUL';

/**
 * The record of a row. A cell that cannot be read fails the record, and no other cell.
 *
 * @param problems why cells cannot be read, by their index.
 */
export const textRecord = (
  row: number,
  cells: readonly string[],
  columns: readonly TextColumn[],
  problems?: ReadonlyMap<number, string>,
): FileRecord => {
  const values = newRecord();
  const errors: string[] = [];
  for (const { index, name } of columns) {
    const cell = cells[index] ?? '';
    const problem = problems?.get(index) ?? (UNCLEAN.test(cell) ? NOT_CLEAN : undefined);
    if (problem === undefined) values[name] = cell;
    else errors.push(columnProblem(name, problem));
  }
  if (errors.length === 0) return { row, values };
  return { row, error: errors.join('; '), readable: values };
};
