import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AREAS, OPERATED, ORGANIZATION } from './areas';
import { ELSEWHERE } from './elsewhere';
import { REQUIRED_ROWS } from './required-rows';
import type { Table } from './table';

const ROOT = resolve(__dirname, '..', '..', '..');

const TABLES: Readonly<Record<string, Table>> = { ...AREAS, ...ORGANIZATION, ...OPERATED };

/** Row of an area → its test. */
const covered = (): ReadonlyMap<string, string> => {
  const tests = Object.entries(TABLES).flatMap(([area, table]) =>
    Object.entries(table).map(([row, test]): [string, string] => [
      `${area} › ${row}`,
      typeof test === 'function' ? 'tested' : `tested, ${String(Object.keys(test).length)} cases`,
    ]),
  );
  const elsewhere = Object.entries(ELSEWHERE).flatMap(([area, rows]) =>
    Object.entries(rows).map(([row, [spec, title]]): [string, string] => [
      `${area} › ${row}`,
      `tested in ${spec}: ${title}`,
    ]),
  );
  return new Map([...elsewhere, ...tests]);
};

const required = (): readonly string[] =>
  Object.entries(REQUIRED_ROWS).flatMap(([area, rows]) => rows.map((row) => `${area} › ${row}`));

/** Rows of the reference without a test. */
export const rowsWithoutTest = (): readonly string[] => {
  const rows = covered();
  return required().filter((row) => !rows.has(row));
};

/** Tested rows that are not in the list. */
export const testsWithoutRow = (): readonly string[] => {
  const known = new Set(required());
  return [...covered().keys()].filter((row) => !known.has(row));
};

/** Rows that are tested here, and listed as tested elsewhere. */
export const rowsInBoth = (): readonly string[] =>
  Object.entries(ELSEWHERE).flatMap(([area, rows]) =>
    Object.keys(rows).filter((row) => row in (TABLES[area] ?? {})),
  );

/** Rows whose test elsewhere does not exist. */
export const rowsLostElsewhere = (): readonly string[] =>
  Object.values(ELSEWHERE).flatMap((rows) =>
    Object.entries(rows).flatMap(([row, [spec, title]]) =>
      readFileSync(join(ROOT, spec), 'utf8').includes(`'${title}'`) ? [] : [row],
    ),
  );

/** Rows with their tests, as text, one per line. */
export const matrixText = (): string => {
  const rows = covered();
  return required()
    .map((row) => `${row} → ${rows.get(row) ?? 'NOTHING'}\n`)
    .join('');
};
