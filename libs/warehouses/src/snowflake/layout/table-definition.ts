/** A column as it must be. */
export interface ColumnDefinition {
  readonly name: string;
  /** In the words of `DESCRIBE TABLE`. */
  readonly type: string;
  /** Absent: the column takes null. */
  readonly required?: true;
  /** Whether the server numbers the rows. */
  readonly numbered?: true;
  /** SQL of what rows get that do not say it. */
  readonly fallback?: string;
}

/** A table as it must be. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** Declared, and kept by whoever writes: Snowflake does not enforce it. */
  readonly primaryKey: readonly string[];
  /** Other columns that no two rows may have in common. */
  readonly unique?: readonly string[];
  /** SQL of an order: of rows that have a key in common, the first stays. Absent: any. */
  readonly staying?: string;
  /** The view that shows all of its columns. */
  readonly view?: string;
}

/** Source: Snowflake, "String & binary data types": the length of a text whose column says none. */
export const TEXT = 'VARCHAR(16777216)';

/** To the microsecond and beyond, with the zone that it was given, which is UTC. */
export const MOMENT = 'TIMESTAMP_TZ(9)';

/** Profiles have ids that are UUIDs. */
export const UUID = 'VARCHAR(36)';

/** What the server counts. */
export const COUNT = 'NUMBER(38,0)';

/** Columns of one type, of which those with `!` behind their name are required. */
export const columns = (type: string, ...names: readonly string[]): readonly ColumnDefinition[] =>
  names.map((name) =>
    name.endsWith('!') ? { name: name.slice(0, -1), type, required: true } : { name, type },
  );
