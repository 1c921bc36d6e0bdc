import { list, qualified } from '../sql/names';
import type { TableDefinition } from './table-definition';

/** SQL of what the view of a table shows: all of its columns. */
export const viewSelect = (schema: string, { name, columns }: TableDefinition): string =>
  `SELECT ${list(columns.map((column) => column.name))} FROM ${qualified(schema, name)}`;
