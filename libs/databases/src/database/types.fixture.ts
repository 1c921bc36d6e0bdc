/** A type of a database: one value of it in SQL, and what it becomes. */
export interface TypeCase {
  /** Of the column. */
  readonly sql: string;
  readonly value: string;
  /** As a schema has it. */
  readonly type: object;
  /** JSON text of the value. */
  readonly json: string;
}

/** A type or a value that there is no counterpart of. */
export interface BadCase {
  readonly sql: string;
  readonly value: string;
  /** Of the column that is left out, or of the row. */
  readonly problem: string;
}
