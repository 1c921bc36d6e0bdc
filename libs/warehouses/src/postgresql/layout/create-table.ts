import { escapeIdentifier } from 'pg';
import { list, qualified } from '../sql/names';
import type { ColumnDefinition, TableDefinition } from './table-definition';

/**
 * What a column begins with that numbers rows in place of one that was lost: greater than what that one has given, unless it
 * has given more than one in a millisecond all the time, as facts and profiles go on to name rows by their numbers.
 */
export const nextNumber = (): number => Date.now();

/** A column as CREATE TABLE and ADD COLUMN take it. @param firstNumber of one that numbers rows */
export const columnSql = (
  { name, type, required, numbered, fallback, check }: ColumnDefinition,
  firstNumber: number,
): string =>
  [
    escapeIdentifier(name),
    type,
    ...(required === true ? ['NOT NULL'] : []),
    ...(numbered === true ? [`GENERATED ALWAYS AS IDENTITY (START WITH ${firstNumber})`] : []),
    ...(fallback === undefined ? [] : [`DEFAULT ${fallback}`]),
    ...(check === undefined ? [] : [`CHECK (${check})`]),
  ].join(' ');

/** Statements that make a table whole. @param firstNumber of its rows, where it numbers them */
export const createTable = (
  schema: string,
  { name, columns, primaryKey, unique, indexes }: TableDefinition,
  firstNumber: number,
): readonly string[] => {
  const table = qualified(schema, name);
  const made = columns.map((column) => columnSql(column, firstNumber));
  return [
    `CREATE TABLE ${table} (${made.join(', ')}, PRIMARY KEY (${list(primaryKey)})${
      unique === undefined ? '' : `, UNIQUE (${list(unique)})`
    })`,
    ...indexes.map((index) => `CREATE INDEX ON ${table} (${list(index)})`),
  ];
};
