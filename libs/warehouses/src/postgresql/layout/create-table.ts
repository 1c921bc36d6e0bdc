import { escapeIdentifier } from 'pg';
import { list, qualified } from '../sql/names';
import type { ColumnDefinition, TableDefinition } from './table-definition';

/** A column as CREATE TABLE and ADD COLUMN take it. */
export const columnSql = ({
  name,
  type,
  required,
  numbered,
  fallback,
  check,
}: ColumnDefinition): string =>
  [
    escapeIdentifier(name),
    type,
    ...(required === true ? ['NOT NULL'] : []),
    ...(numbered === true ? ['GENERATED ALWAYS AS IDENTITY'] : []),
    ...(fallback === undefined ? [] : [`DEFAULT ${fallback}`]),
    ...(check === undefined ? [] : [`CHECK (${check})`]),
  ].join(' ');

/** Statements that make a table whole. */
export const createTable = (
  schema: string,
  { name, columns, primaryKey, unique, indexes }: TableDefinition,
): readonly string[] => {
  const table = qualified(schema, name);
  return [
    `CREATE TABLE ${table} (${columns.map(columnSql).join(', ')}, PRIMARY KEY (${list(primaryKey)})${
      unique === undefined ? '' : `, UNIQUE (${list(unique)})`
    })`,
    ...indexes.map((index) => `CREATE INDEX ON ${table} (${list(index)})`),
  ];
};
