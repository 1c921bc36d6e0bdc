import { WarehouseFault } from '../../platform/warehouse';

/** A row of an answer: a server may send anything. */
export type Row = Readonly<Record<string, unknown>>;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

export const isTextOrNull = (value: unknown): value is string | null =>
  value === null || isText(value);

export const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

export const areTextsOrNull = (value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) && value.every(isTextOrNull);

/** UTC, to the microsecond. */
export const isTime = (value: unknown): value is string => isText(value) && TIME.test(value);

/** Values of the rows of a table. @throws WarehouseFault `unusable` for one that no writer has written */
export const memberOf =
  (table: string) =>
  <T>(row: Row, name: string, isFit: (value: unknown) => value is T): T => {
    const value = row[name];
    if (isFit(value)) return value;
    throw unfit(table, name);
  };

export const unfit = (table: string, name: string): WarehouseFault =>
  new WarehouseFault('unusable', `${table} holds a value that does not fit: ${name}`);

/** SQL of a time as {@link isTime} has it. */
export const timeSql = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
