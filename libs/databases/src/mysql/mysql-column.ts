import type { PrepareStatementInfo } from 'mysql2';

/** Flags of a column. Source: MySQL, Column Definition Flags. */
export const FLAGS = { NOT_NULL: 1, UNSIGNED: 32, ENUM: 256, SET: 2_048 } as const;

/** A column as the protocol describes it; the types of the driver leave out most of it. */
export interface MysqlColumn {
  readonly name: string;
  /** Of the table that it comes from; `''`: it is computed. */
  readonly schema: string;
  readonly orgTable: string;
  readonly orgName: string;
  readonly columnType: number;
  readonly flags: number;
  readonly columnLength: number;
  readonly decimals: number;
  readonly characterSet: number;
  /** Types that only MariaDB has, such as `uuid`. */
  readonly extendedTypeName?: string;
  /** `json` where MariaDB keeps JSON as text. */
  readonly extendedFormat?: string;
}

/** The columns that a statement gives; none where it gives no rows. */
export const columnsOfPrepared = (statement: PrepareStatementInfo): readonly MysqlColumn[] =>
  (statement as unknown as { readonly columns: readonly MysqlColumn[] }).columns;

/** How many `?` a statement has that stand for values. */
export const parametersOf = (statement: PrepareStatementInfo): number =>
  (statement as unknown as { readonly parameters: readonly unknown[] }).parameters.length;
