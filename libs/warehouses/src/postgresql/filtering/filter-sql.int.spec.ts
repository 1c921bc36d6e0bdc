import { compileFilter, type Filter, parseFilter } from '@penstock/filters';
import { parseJson, type RecordValue } from '@penstock/schema';
import fc from 'fast-check';
import { MINE } from '../../platform/warehouse-writer.contract';
import { EXACT, recordReader, valuesSql } from '../reading/column-values';
import {
  cells,
  COLUMNS,
  insertProfiles,
  PROFILES,
  recordOfCells,
} from '../reading/profiles.fixture';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';
import { filterSql } from './filter-sql';
import { everyPair, filters, PAIRS } from './filters.fixture';

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

const { schema } = PROFILES;

const ROWS = `FROM ${SCHEMA}._profiles ORDER BY _profile_id`;

const write = (records: readonly RecordValue[]): Promise<void> =>
  written.stage.run(
    `TRUNCATE ${SCHEMA}._profiles`,
    insertProfiles(records),
    ...EXACT.map((setting) => setting.replace('LOCAL ', '')),
  );

/** The records as the database has them: times are cut to its precision. */
const stored = async (): Promise<readonly RecordValue[]> => {
  const rows = (await written.stage.rows(
    `SELECT ${valuesSql(COLUMNS)} AS values ${ROWS}`,
  )) as readonly { readonly values: string }[];
  const record = recordReader('_profiles', COLUMNS);
  return rows.map(({ values }) => record(values));
};

/** Columns of one answer. */
const AT_A_TIME = 500;

/** For each row what the database says of each filter. */
const selected = async (all: readonly Filter[]): Promise<readonly boolean[][]> => {
  const found: boolean[][] = [];
  for (let from = 0; from < all.length; from += AT_A_TIME) {
    const sql = all
      .slice(from, from + AT_A_TIME)
      .map((filter, at) => `(${filterSql(filter, schema, COLUMNS)}) IS TRUE AS f${at}`);
    const rows = await written.stage.rows(`SELECT ${sql.join(', ')} ${ROWS}`);
    for (const [at, row] of rows.entries())
      (found[at] ??= []).push(...(Object.values(row as object) as boolean[]));
  }
  return found;
};

/** What a difference is about. */
const told = (filter: Filter, record: RecordValue, isSelected: boolean) => {
  const [condition] = compileFilter(filter, schema).explain(record);
  return { filter, seen: condition?.seen, isSelected };
};

const differences = async (all: readonly Filter[]): Promise<readonly object[]> => {
  const [records, found] = [await stored(), await selected(all)];
  const compiled = all.map((filter) => compileFilter(filter, schema));
  return records.flatMap((record, row) =>
    all.flatMap((filter, at) => {
      const isSelected = found[row]?.[at] ?? false;
      const matches = compiled[at]?.matches(record);
      return isSelected === matches ? [] : [told(filter, record, isSelected)];
    }),
  );
};

it('selects by every operator on every kind what the library of filters does', async () => {
  // Fifteen kinds, some in arrays and objects: none was left out by mistake.
  expect(PAIRS).toBeGreaterThan(250);
  await fc.assert(
    fc.asyncProperty(
      fc.array(cells, { minLength: 12, maxLength: 12 }),
      everyPair,
      async (drawn, all) => {
        await write(drawn.map(recordOfCells));
        expect(await differences(all)).toEqual([]);
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

it('selects by several conditions what the library of filters does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(cells, { minLength: 10, maxLength: 10 }),
      fc.array(filters, { minLength: 60, maxLength: 60 }),
      async (drawn, all) => {
        await write(drawn.map(recordOfCells));
        expect(await differences(all)).toEqual([]);
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
});

const ofText = (operator: string, operand: string): Filter =>
  parseFilter(
    parseJson(
      JSON.stringify({
        logical: 'and',
        conditions: [{ property: 'text', operator, values: [operand] }],
      }),
    ),
    schema,
    'DestinationUser',
  );

const TEXTS = [
  '',
  'a',
  'a\u{10000}',
  'a\ud7ff',
  'a\ue000',
  'a\uffff',
  'a\u{1f600}',
  'a\u{10ffff}z',
];
const HALVES = [
  'a\ud800',
  'a\ud83d',
  'a\ud83dz',
  'a\udbff',
  'a\udc00',
  'a\udfff',
  '\ud83d',
  '\udc00b',
];

it('orders texts around halves of characters as the library of filters does', async () => {
  await write(TEXTS.map((text) => recordOfCells([JSON.stringify(text)])));
  const operators = [
    'is',
    'is less than',
    'is greater than',
    'is greater than or equal to',
    'contains',
  ];
  const all = operators.flatMap((operator) => HALVES.map((half) => ofText(operator, half)));
  expect(await differences(all)).toEqual([]);
});

it('compares no text of an operand as SQL', async () => {
  await write([recordOfCells([JSON.stringify(`x' OR '' = '`)]), recordOfCells(['"\\\\"'])]);
  expect(await selected([ofText('is', `x' OR '' = '`), ofText('is', '\\')])).toEqual([
    [true, false],
    [false, true],
  ]);
});

it('knows nothing of JSON, which profiles are not filtered by', () => {
  const json = '{"logical":"and","conditions":[{"property":"doc","operator":"is","values":["a"]}]}';
  const filter = parseFilter(parseJson(json), schema, 'SourceUser');
  expect(() => filterSql(filter, schema, COLUMNS)).toThrow(TypeError);
});
