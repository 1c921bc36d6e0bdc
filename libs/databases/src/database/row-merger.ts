import type { RecordValue } from '@penstock/schema';

/** Rows of a table that are inserted, or updated where there is one with the key. */
export interface RowMerge {
  /** Name of the table, in the schema or database of the settings. */
  readonly table: string;
  /** Name of the property whose column is the key. */
  readonly key: string;
  /** Names of the properties that rows may have, the key among them. Columns of no other are touched. */
  readonly properties: readonly string[];
}

/** A row that the database does not take, as it is. */
export interface RefusedRow {
  /** Its place in the batch, from 0. */
  readonly row: number;
  /** Why, in words of the server or ours. The server's may repeat values. */
  readonly reason: string;
}

/** Merges rows into a table, over one connection where the database has them. */
export interface RowMerger {
  /**
   * Merges a batch: all of it, or nothing when a row is refused. A property that a row does not have stays as it is in
   * the table, and has the column's default in a new row. Of several rows with one key, the last counts. May be
   * repeated: the table is the same then.
   *
   * @param rows of the properties, by their names.
   * @param check is called before the batch is made to last, where there are locks behind them: when nobody else can write
   *   these rows. When it rejects, so does this, and nothing of the batch is in the table.
   * @returns the rows that are refused; empty: the batch is in the table.
   * @throws DatabaseFault Unreachable: the batch is in the table, or nothing of it; the merger is of no use any more.
   */
  merge(rows: readonly RecordValue[], check?: () => Promise<void>): Promise<readonly RefusedRow[]>;
  /**
   * Texts of keys that are equal where the database takes the keys for one, whatever their case or accents. Absent: only the
   * same text is.
   *
   * @throws DatabaseFault Unreachable: the merger is of no use any more.
   */
  equalTexts?(keys: readonly string[]): Promise<readonly string[]>;
  /** Closes the connection; may be called again. */
  close(): Promise<void>;
}
