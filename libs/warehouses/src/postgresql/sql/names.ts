import { escapeIdentifier } from 'pg';

/** Names of columns as SQL. */
export const list = (names: readonly string[]): string => names.map(escapeIdentifier).join(', ');

/** A relation of a schema as SQL. */
export const qualified = (schema: string, name: string): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
