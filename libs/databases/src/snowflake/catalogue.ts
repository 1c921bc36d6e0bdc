import type { SourceColumn } from '../database/source-column';
import { type Cell, snowflakeCounterpart, type SnowflakeType } from './column-types';
import type { SnowflakeSession } from './session';
import { snowflakeName } from './snowflake-literal';

/** A column of a table. */
interface CatalogueColumn extends SourceColumn<Cell> {
  /** In words that a cast takes. */
  readonly cast: string;
}

/** A table or a view. */
export interface CatalogueTable {
  /** Quoted, with its database and schema. */
  readonly place: string;
  readonly columns: readonly CatalogueColumn[];
}

/** Types of the protocol by the words of `DESCRIBE TABLE`. Source: Snowflake, "DESCRIBE TABLE". */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['NUMBER', 'fixed'],
  ['FLOAT', 'real'],
  ['VARCHAR', 'text'],
  ['BOOLEAN', 'boolean'],
  ['DATE', 'date'],
  ['TIME', 'time'],
  ['TIMESTAMP_NTZ', 'timestamp_ntz'],
  ['TIMESTAMP_LTZ', 'timestamp_ltz'],
  ['TIMESTAMP_TZ', 'timestamp_tz'],
  ['VARIANT', 'variant'],
  ['OBJECT', 'object'],
  ['ARRAY', 'array'],
]);

/** A name and up to two numbers; what is longer, such as types of elements, is no type that is read. */
const TYPE = /^(\w+)(?:\((\d+)(?:,\s*(\d+))?\))?$/;

const numberOf = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text);

/** @param text such as `NUMBER(9,0)`. */
const typeOf = (text: string): SnowflakeType => {
  const [, word = text, first, second] = TYPE.exec(text) ?? [];
  const name = NAMES.get(word) ?? text;
  const isNumber = name === 'fixed';
  return {
    name,
    precision: isNumber ? numberOf(first) : null,
    scale: numberOf(isNumber ? second : first),
    length: name === 'text' ? numberOf(first) : null,
  };
};

/** The exact name counts before the one in capitals, which is what an unquoted one means. */
const FIND = `
  SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (?, ?)`;

const nameOf = async (session: SnowflakeSession, table: string): Promise<string | undefined> => {
  const capitals = table.toUpperCase();
  const rows = await session.rows(FIND, [session.schema, table, capitals]);
  const names = rows.map(([name]) => String(name));
  return names.includes(table) ? table : names[0];
};

/** A table or a view with its columns; undefined: there is none of the name. */
export const catalogueTable = async (
  session: SnowflakeSession,
  table: string,
): Promise<CatalogueTable | undefined> => {
  const name = await nameOf(session, table);
  if (name === undefined) return undefined;
  const place = [session.database, session.schema, name].map(snowflakeName).join('.');
  const columns = await session.rows(`DESCRIBE TABLE ${place}`);
  return {
    place,
    columns: columns.map(([column, type, , nullable, standard]) => {
      const isNullable = nullable === 'Y';
      return {
        name: String(column),
        nullable: isNullable,
        isRequired: !isNullable && standard === null,
        counterpart: snowflakeCounterpart(typeOf(String(type))),
        cast: String(type),
      };
    }),
  };
};

/** `constraint_name` and `key_sequence` have other places in answers to the two. */
const keysIn = async (session: SnowflakeSession, statement: string) => {
  const { columns, stream } = await session.run(statement);
  const place = (name: string): number =>
    columns.findIndex((column) => column.getName().toLowerCase() === name);
  const [constraint, column, order] = ['constraint_name', 'column_name', 'key_sequence'].map(place);
  const rows = (await stream.toArray()) as readonly (readonly (Cell | null)[])[];
  const keys = new Map<string, [order: number, name: string][]>();
  for (const row of rows) {
    const name = String(row[constraint ?? -1]);
    keys.set(name, [
      ...(keys.get(name) ?? []),
      [Number(row[order ?? -1]), String(row[column ?? -1])],
    ]);
  }
  return [...keys.values()].map((key) =>
    key.sort(([one], [other]) => one - other).map(([, each]) => each),
  );
};

/** The declared keys of a table, the primary key first. Snowflake does not see to it that their values are unique. */
export const catalogueKeys = async (
  session: SnowflakeSession,
  { place }: CatalogueTable,
): Promise<readonly (readonly string[])[]> => [
  ...(await keysIn(session, `SHOW PRIMARY KEYS IN TABLE ${place}`)),
  ...(await keysIn(session, `SHOW UNIQUE KEYS IN TABLE ${place}`)),
];
