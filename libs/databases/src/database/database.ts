import type { GuardedSockets } from '@penstock/egress';
import type { JsonObject, RecordValue, Schema, Type, Value } from '@penstock/schema';
import type { RowMerge, RowMerger } from './row-merger';

/** What goes with every call to a database. */
export interface DatabaseCall {
  /** The only way to its server. */
  readonly sockets: GuardedSockets;
  /** Ends what is under way: the server's statement is cancelled, and the connection closed. */
  readonly signal: AbortSignal;
}

/** What the placeholders of a query stand for. */
export interface PlaceholderValues {
  /**
   * `${updated_at}`: a literal of the value, of the type of the column that it is compared with; `null`: the word
   * `NULL`.
   */
  readonly updatedAt: { readonly type: Type; readonly value: Value } | null;
  /** `${limit}` */
  readonly limit: bigint;
}

/** One statement that gives rows. */
export interface DatabaseQuery {
  readonly text: string;
  readonly values: PlaceholderValues;
  /** Names of the properties that records have; the columns of others are not read. Absent: all. */
  readonly wanted?: ReadonlySet<string>;
}

/** A row of a query, or why there is no record of it. */
export type DatabaseRecord =
  | {
      /** Its number, from 1. */
      readonly row: number;
      /** Of the schema of the rows; only what is wanted. */
      readonly values: RecordValue;
    }
  | {
      readonly row: number;
      /** What is wrong with the row, which does not end the reading. Repeats no value. */
      readonly error: string;
      /** Values of the columns that can be read; absent: the row cannot be divided into columns. */
      readonly readable?: RecordValue;
    };

/** The columns of a query or a table, as properties. */
export interface DatabaseColumns {
  readonly schema: Schema;
  /** Columns that are left out, and why: a sentence for each. */
  readonly issues: readonly string[];
}

/** The rows of a query, for reading once. */
export interface DatabaseRows extends DatabaseColumns {
  /**
   * In batches, as the server gives them; memory does not grow with their number. Rejects with `DatabaseFault` when the
   * rest cannot be read. Ending early ends the statement and closes the connection.
   */
  readonly records: AsyncIterable<readonly DatabaseRecord[]>;
  /** Ends the statement and closes the connection; may be called again. Must be called, however reading ends. */
  close(): Promise<void>;
}

/** The columns of a table. */
export interface TableColumns extends DatabaseColumns {
  /** Names of the properties of each key whose values are unique, the primary key first. */
  readonly keys: readonly (readonly string[])[];
}

/** A kind of database that can be read, and merged into. Stateless: settings are all that it knows. Every call may be repeated. */
export interface Database {
  /**
   * Logs in, and looks whether the settings lead to a database.
   *
   * @throws DatabaseFault Unreachable, Refused
   */
  check(settings: JsonObject, call: DatabaseCall): Promise<void>;
  /**
   * Runs a query in a read-only transaction. The server decides what a query may do: one that writes fails with its
   * reason.
   *
   * @throws DatabaseFault
   */
  query(query: DatabaseQuery, settings: JsonObject, call: DatabaseCall): Promise<DatabaseRows>;
  /**
   * The columns of a table or a view. `createRequired` marks those without which no row can be added.
   *
   * @param table its name, in the schema or database of the settings; never a part of a statement as it is.
   * @throws DatabaseFault Unreachable, Refused, TableNotExist
   */
  columns(table: string, settings: JsonObject, call: DatabaseCall): Promise<TableColumns>;
  /**
   * Prepares to merge rows into a table, in transactions that write.
   *
   * @throws DatabaseFault Unreachable, Refused, TableNotExist; InvalidSettings when the table has not the columns, or the
   *   database cannot merge by the key.
   */
  merger(merge: RowMerge, settings: JsonObject, call: DatabaseCall): Promise<RowMerger>;
  /**
   * A value as a literal of the database's SQL, which cannot be broken out of.
   *
   * @param value of the type; not checked. `null` is the word `NULL`.
   * @throws RangeError when the database has no literal for values of the type, or for this one.
   */
  literal(type: Type, value: Value): string;
  /**
   * Looks at the placeholders of a query, without the network.
   *
   * @throws DatabaseFault InvalidPlaceholder
   */
  checkPlaceholders(text: string): void;
}
