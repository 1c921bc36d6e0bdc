import type { Filter } from '@penstock/filters';
import { newRecord, type RecordValue } from '@penstock/schema';
import { type FilteredRows, filteringContract } from '../../platform/filtering.contract';
import { PROFILES } from '../../platform/profiles.fixture';
import { profilesOf } from '../../platform/read-stage.fixture';
import { cellReader } from '../columns/read-cell';
import { COLUMNS, MICROSECONDS, profileRow } from '../profiles.fixture';
import { putRows } from '../put-rows.fixture';
import { list } from '../sql/names';
import { INSTALL_TIMEOUT_MS, SnowflakeStand } from '../stand.fixture';
import { filterSql } from './filter-sql';

jest.setTimeout(300_000);

const TABLE = '"_PROFILES"';
const ROWS = `FROM ${TABLE} ORDER BY "_PROFILE_ID"`;

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
  const own = [
    ['_PROFILE_ID', 'VARCHAR(36)'],
    ['_CREATED_AT', 'TIMESTAMP_TZ(9)'],
    ['_UPDATED_AT', 'TIMESTAMP_TZ(9)'],
    ['_IDENTITIES', 'NUMBER(38,0)'],
  ];
  const columns = [...own, ...COLUMNS.map(({ name, sqlType }) => [name, sqlType])];
  const all = columns.map(([name = '', type = '']) => `${list([name])} ${type}`);
  await stand.run(`CREATE TABLE ${TABLE} (${all.join(', ')})`);
}, INSTALL_TIMEOUT_MS);
afterAll(() => stand.close());

/** The record of the cells of a row, computed without what reads profiles. */
const recordOf = (cells: readonly (string | null)[]): RecordValue => {
  const record = newRecord();
  for (const [at, { path, type }] of COLUMNS.entries()) {
    const cell = cells[at] ?? null;
    if (cell === null) continue;
    let object = record;
    for (const name of path.slice(0, -1))
      object = (object[name] ??= newRecord()) as ReturnType<typeof newRecord>;
    object[path.at(-1) ?? ''] = cellReader(type)(cell);
  }
  return record;
};

/** Columns of one answer. */
const AT_A_TIME = 100;

const rows: FilteredRows = {
  write: async (records) => {
    await stand.run(`DELETE FROM ${TABLE}`);
    await putRows(stand, TABLE, profilesOf(records).map(profileRow));
  },
  stored: async () => {
    const found = await stand.rows(`SELECT ${list(COLUMNS.map(({ name }) => name))} ${ROWS}`);
    return found.map(recordOf);
  },
  selected: async (all: readonly Filter[]) => {
    const found: boolean[][] = [];
    for (let from = 0; from < all.length; from += AT_A_TIME) {
      const sql = all
        .slice(from, from + AT_A_TIME)
        .map((filter, at) => `(${filterSql(filter, PROFILES.schema, COLUMNS)}) AS F${String(at)}`);
      const answer = await stand.rows(`SELECT ${sql.join(', ')} ${ROWS}`);
      for (const [at, row] of answer.entries())
        (found[at] ??= []).push(...row.map((cell) => cell === '1'));
    }
    return found;
  },
};

filteringContract(() => rows, { runs: [2, 2], fractionDigits: MICROSECONDS });
