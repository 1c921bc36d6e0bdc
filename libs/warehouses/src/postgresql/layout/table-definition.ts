/** A column as it must be. */
export interface ColumnDefinition {
  readonly name: string;
  /** In the words of PostgreSQL's `format_type`. */
  readonly type: string;
  /** Absent: the column takes null. */
  readonly required?: true;
  /** Whether the server numbers the rows. */
  readonly numbered?: true;
  /** SQL of what rows get that do not say it. */
  readonly fallback?: string;
  /** SQL of a condition on the value. */
  readonly check?: string;
}

/** A table as it must be. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly primaryKey: readonly string[];
  /** Other columns that no two rows may have in common. */
  readonly unique?: readonly string[];
  readonly indexes: readonly (readonly string[])[];
  /** Indexes of former releases, which are dropped. */
  readonly retired?: readonly (readonly string[])[];
  /** SQL of an order: of rows that have a key in common, the first stays. Absent: the first in storage. */
  readonly staying?: string;
  /** The view that shows all of its columns. */
  readonly view?: string;
}

const FORM = /^([a-z_]+)(!?) (.+)$/;

/** Columns from lines such as `name! text`, where `!` stands for required. */
export const columns = (...lines: readonly string[]): readonly ColumnDefinition[] =>
  lines.map((line) => {
    const [, name = '', required, type = ''] = FORM.exec(line) ?? [];
    return { name, type, ...(required === '!' && { required: true }) };
  });
