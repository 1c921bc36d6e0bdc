import { BadValue, type Cell } from '@penstock/databases';
import { Invalid, JsonSyntaxError, textOf, type Type } from '@penstock/schema';
import { WarehouseFault } from '../../platform/warehouse';
import { cellReader } from '../columns/read-cell';

/** The cells of a row, by the names of {@link Selection}. */
export type Row = Readonly<Record<string, Cell | null>>;

/** A statement that reads, with the names of what it gives, in their order. */
export interface Selection {
  readonly sql: string;
  readonly names: readonly string[];
}

/** SQL of a list of what is read, each by its name. */
export const shownSql = (shown: Readonly<Record<string, string>>): string =>
  Object.entries(shown)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ');

export const unfit = (table: string, name: string): WarehouseFault =>
  new WarehouseFault('unusable', `${table} holds a value that does not fit: ${name}`);

/** What is read from a cell. @throws WarehouseFault `unusable` for one that no writer has written */
export const fitting = <T>(table: string, name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    const isUnfit =
      error instanceof BadValue || error instanceof Invalid || error instanceof JsonSyntaxError;
    throw isUnfit ? unfit(table, name) : error;
  }
};

/** Cells of the rows of a table. The functions throw WarehouseFault `unusable` for a cell that no writer has written. */
export interface Members {
  readonly text: (row: Row, name: string) => string;
  readonly textOrNull: (row: Row, name: string) => string | null;
  readonly flag: (row: Row, name: string) => boolean;
  /** A whole number that is a number of JavaScript. */
  readonly count: (row: Row, name: string) => number;
  /** UTC, to the microsecond. */
  readonly time: (row: Row, name: string) => string;
  /** An array of texts. */
  readonly texts: (row: Row, name: string) => readonly string[];
}

const TRUTHS: Readonly<Record<string, boolean>> = { '1': true, '0': false };

const MOMENT: Type = { kind: 'datetime' };
const readMoment = cellReader(MOMENT);

const microtime = (cell: Cell): string => {
  const [seconds = '', fraction = ''] = textOf(MOMENT, readMoment(cell))
    .replace('Z', '')
    .split('.');
  return `${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
};

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** @param table in which the cells are. */
export const membersOf = (table: string): Members => {
  const read = <T>(row: Row, name: string, of: (cell: Cell) => T | undefined): T => {
    const cell = row[name] ?? null;
    const value = cell === null ? undefined : fitting(table, name, () => of(cell));
    if (value === undefined) throw unfit(table, name);
    return value;
  };
  return {
    text: (row, name) => read(row, name, (cell) => cell),
    textOrNull: (row, name) => row[name] ?? null,
    flag: (row, name) => read(row, name, (cell) => TRUTHS[cell]),
    count: (row, name) =>
      read(row, name, (cell) => (/^-?\d{1,15}$/.test(cell) ? Number(cell) : undefined)),
    time: (row, name) => read(row, name, microtime),
    texts: (row, name) =>
      read(row, name, (cell) => {
        const json: unknown = JSON.parse(cell);
        return areTexts(json) ? json : undefined;
      }),
  };
};
