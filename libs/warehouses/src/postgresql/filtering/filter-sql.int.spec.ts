import { type Filter, parseFilter } from '@penstock/filters';
import { parseJson } from '@penstock/schema';
import { type FilteredRows, filteringContract } from '../../platform/filtering.contract';
import { COLUMNS, PROFILES } from '../../platform/profiles.fixture';
import { MINE } from '../../platform/warehouse-writer.contract';
import { EXACT, recordReader, valuesSql } from '../reading/column-values';
import { insertProfiles } from '../reading/insert-profiles.fixture';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';
import { filterSql } from './filter-sql';

jest.setTimeout(60_000);

let written: WrittenStage;

beforeAll(async () => {
  written = await writtenStage(MINE);
  await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
  // Texts have another order than that of their characters, as in most databases.
  await written.stage.run(
    `DROP VIEW ${SCHEMA}.profiles`,
    ...['text', 'near_Text'].map(
      (column) => `ALTER TABLE ${SCHEMA}._profiles ALTER "${column}" TYPE text COLLATE "und-x-icu"`,
    ),
  );
});
afterAll(() => written.close());

const ROWS = `FROM ${SCHEMA}._profiles ORDER BY _profile_id`;

/** Columns of one answer. */
const AT_A_TIME = 500;

const rows: FilteredRows = {
  write: (records) =>
    written.stage.run(
      `TRUNCATE ${SCHEMA}._profiles`,
      insertProfiles(records),
      ...EXACT.map((setting) => setting.replace('LOCAL ', '')),
    ),
  stored: async () => {
    const found = (await written.stage.rows(
      `SELECT ${valuesSql(COLUMNS)} AS values ${ROWS}`,
    )) as readonly { readonly values: string }[];
    const record = recordReader('_profiles', COLUMNS);
    return found.map(({ values }) => record(values));
  },
  selected: async (all: readonly Filter[]) => {
    const found: boolean[][] = [];
    for (let from = 0; from < all.length; from += AT_A_TIME) {
      const sql = all
        .slice(from, from + AT_A_TIME)
        .map((filter, at) => `(${filterSql(filter, PROFILES.schema, COLUMNS)}) IS TRUE AS f${at}`);
      const answer = await written.stage.rows(`SELECT ${sql.join(', ')} ${ROWS}`);
      for (const [at, row] of answer.entries())
        (found[at] ??= []).push(...(Object.values(row as object) as boolean[]));
    }
    return found;
  },
};

filteringContract(() => rows, { runs: [40, 20] });

it('knows nothing of JSON, which profiles are not filtered by', () => {
  const json = '{"logical":"and","conditions":[{"property":"doc","operator":"is","values":["a"]}]}';
  const filter = parseFilter(parseJson(json), PROFILES.schema, 'SourceUser');
  expect(() => filterSql(filter, PROFILES.schema, COLUMNS)).toThrow(TypeError);
});
