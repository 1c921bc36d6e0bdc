import { snowflakeName } from '@penstock/databases';

/** A schema, by names as they are stored. */
export interface Place {
  readonly database: string;
  readonly schema: string;
}

/** A table or view of a schema as SQL. */
export const qualified = ({ database, schema }: Place, name: string): string =>
  [database, schema, name].map(snowflakeName).join('.');

/** A schema as SQL. */
export const schemaName = ({ database, schema }: Place): string =>
  [database, schema].map(snowflakeName).join('.');

/** Names of columns as SQL. */
export const list = (names: readonly string[]): string => names.map(snowflakeName).join(', ');

/** The views of the catalogue of a database as SQL. */
export const catalogue = ({ database }: Place, view: string): string =>
  `${snowflakeName(database)}.INFORMATION_SCHEMA.${view}`;
