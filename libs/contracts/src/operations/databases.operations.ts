import type { JsonString } from '../pipeline.facts';
import { always, query } from './operation';

/** Asks for the columns and the first rows of a query. */
export interface QueryDatabase {
  /** A connection with a database. */
  readonly connection: string;
  /** One statement that gives rows. */
  readonly query: string;
  /** How many rows at most, 0 to 100; also the value of `${limit}`. */
  readonly limit: number;
}

/** The columns and the first rows of a query. */
export interface QueryExcerpt {
  readonly rows: readonly JsonString[];
  readonly schema: JsonString;
  /** What is left out, and why: columns, then rows. */
  readonly issues: readonly string[];
}

/** The columns of a table. */
export interface TableExcerpt {
  readonly schema: JsonString;
  /** Columns that are left out, and why. */
  readonly issues: readonly string[];
}

/** Looks into the database of a connection. Each is refused with BadRequest for a connection without a database. */
export const DATABASE_OPERATIONS = {
  QueryDatabase: query<QueryDatabase, QueryExcerpt>({
    refusals: ['ConnectionNotExist', 'InvalidQuery', 'InvalidPlaceholder'],
    scope: 'write',
    isSlow: always,
    carriesRecords: true,
  }),
  GetTableColumns: query<{ readonly connection: string; readonly name: string }, TableExcerpt>({
    refusals: ['ConnectionNotExist', 'TableNotExist'],
    isSlow: always,
  }),
};
