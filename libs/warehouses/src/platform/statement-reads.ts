import type { JsonString } from '@penstock/contracts';

/** A column of what somebody else's statement gives, or of a table. */
export interface StatementColumn {
  readonly name: string;
  /** As the platform names it. */
  readonly type: string;
}

/** What a statement gives. */
export interface StatementRows {
  readonly columns: readonly StatementColumn[];
  /** Each a JSON array of the values in the order of the columns, numbers to the last digit. */
  readonly rows: readonly JsonString[];
  /** Whether others follow, which were not read. */
  readonly isCut: boolean;
}

/** A statement that somebody else has written. */
export interface StatementWanted {
  readonly text: string;
  /** Bytes of the rows that are read, but for the first one. */
  readonly maxBytes: number;
}

/** A table or view that can be read. */
export interface ReadableTable {
  readonly name: string;
  readonly columns: readonly StatementColumn[];
}

/** The tables and views that can be read. */
export interface ReadableTables {
  /** By their names. */
  readonly tables: readonly ReadableTable[];
  /** Whether there are others, which were not read. */
  readonly isCut: boolean;
}
