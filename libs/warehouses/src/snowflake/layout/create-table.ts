import { snowflakeName } from '@penstock/databases';
import { list, type Place, qualified } from '../sql/names';
import type { ColumnDefinition, TableDefinition } from './table-definition';

/**
 * What a column begins with that numbers rows in place of one that was lost: greater than what that one has given, unless it
 * has given more than one in a millisecond all the time, as facts and profiles go on to name rows by their numbers.
 */
export const nextNumber = (): number => Date.now();

/** A column as CREATE TABLE takes it. @param firstNumber of one that numbers rows */
const columnSql = (
  { name, type, required, numbered, fallback }: ColumnDefinition,
  firstNumber: number,
): string =>
  [
    ...[snowflakeName(name), type],
    ...(required === true ? ['NOT NULL'] : []),
    ...(numbered === true ? [`AUTOINCREMENT START ${String(firstNumber)} INCREMENT 1 ORDER`] : []),
    ...(fallback === undefined ? [] : [`DEFAULT ${fallback}`]),
  ].join(' ');

/** A statement that makes a table whole. @param firstNumber of its rows, where it numbers them */
export const createTable = (
  place: Place,
  { name, columns, primaryKey, unique }: TableDefinition,
  firstNumber: number,
  create: 'CREATE TABLE' | 'CREATE TABLE IF NOT EXISTS' | 'CREATE OR REPLACE TABLE',
): string => {
  const made = [
    ...columns.map((column) => columnSql(column, firstNumber)),
    `PRIMARY KEY (${list(primaryKey)})`,
    ...(unique === undefined ? [] : [`UNIQUE (${list(unique)})`]),
  ];
  return `${create} ${qualified(place, name)} (${made.join(', ')})`;
};

/** A statement that makes the view of a table, or replaces it with the rights that there are on it. */
export const createView = (
  place: Place,
  { name, columns }: TableDefinition,
  view: string,
): string => {
  const shown = list(columns.map((column) => column.name));
  return `CREATE OR REPLACE VIEW ${qualified(place, view)} COPY GRANTS AS SELECT ${shown} FROM ${qualified(place, name)}`;
};
