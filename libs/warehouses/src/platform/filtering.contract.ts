import { compileFilter, type Filter, parseFilter } from '@penstock/filters';
import { parseJson, type RecordValue } from '@penstock/schema';
import fc from 'fast-check';
import { everyPair, filters, PAIRS } from './filters.fixture';
import { cells, COLUMNS, PROFILES, recordOfCells } from './profiles.fixture';

/** Profiles in a database, which filters in its SQL select from. */
export interface FilteredRows {
  /** Replaces all of them. */
  write(records: readonly RecordValue[]): Promise<void>;
  /** The records as the database has them: times are cut to its precision. */
  stored(): Promise<readonly RecordValue[]>;
  /** For each row what the database says of each filter. */
  selected(all: readonly Filter[]): Promise<readonly boolean[][]>;
}

/** What a stand can show of its database. */
export interface FilteringLimits {
  /** How often every filter is tried, and how often several conditions are. */
  readonly runs: readonly [every: number, several: number];
  /** Of the seconds of operands; absent: all that operands have. */
  readonly fractionDigits?: number;
}

const { schema } = PROFILES;

/** What a difference is about. */
const told = (filter: Filter, record: RecordValue, isSelected: boolean) => {
  const [condition] = compileFilter(filter, schema).explain(record);
  return { filter, seen: condition?.seen, isSelected };
};

const filterOf = (property: string, operator: string, operand: string): Filter =>
  parseFilter(
    parseJson(
      JSON.stringify({ logical: 'and', conditions: [{ property, operator, values: [operand] }] }),
    ),
    schema,
    'DestinationUser',
  );

const ofText = (operator: string, operand: string): Filter => filterOf('text', operator, operand);

const COMPARISONS = [
  'is',
  'is less than',
  'is less than or equal to',
  'is greater than',
  'is greater than or equal to',
];

/** Around those that a decimal of 30 digits, 10 of them behind the point, has. */
const DECIMALS = ['0', '1', '-1', '0.0000000001', '-0.0000000001', '12345678901234567890'];
const LONGER = [
  ...['0.00000000009', '-0.00000000009', '0.00000000011', '-0.00000000011', '1e-37', '-1e-37'],
  ...['0.99999999999', '1.00000000001', '-0.99999999999', '-1.00000000001', '1e70', '-1e70'],
  ...['99999999999999999999.99999999999', '100000000000000000000', '-100000000000000000000'],
];

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

const CLOCK = /\d\d:\d\d:\d\d\.(\d+)/;

/** Filters in SQL select what the library of filters does. */
export const filteringContract = (
  rows: () => FilteredRows,
  { runs: [every, several], fractionDigits = 9 }: FilteringLimits,
): void => {
  const isShown = ({ conditions }: Filter): boolean =>
    conditions.every(({ values }) =>
      values.every((value) => (CLOCK.exec(value)?.[1]?.length ?? 0) <= fractionDigits),
    );

  const differences = async (given: readonly Filter[]): Promise<readonly object[]> => {
    const all = given.filter(isShown);
    const [records, found] = [await rows().stored(), await rows().selected(all)];
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
          await rows().write(drawn.map(recordOfCells));
          expect(await differences(all)).toEqual([]);
        },
      ),
      { numRuns: every, endOnFailure: true },
    );
  });

  it('selects by several conditions what the library of filters does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { minLength: 10, maxLength: 10 }),
        fc.array(filters, { minLength: 60, maxLength: 60 }),
        async (drawn, all) => {
          await rows().write(drawn.map(recordOfCells));
          expect(await differences(all)).toEqual([]);
        },
      ),
      { numRuns: several, endOnFailure: true },
    );
  });

  it('orders texts around halves of characters as the library of filters does', async () => {
    await rows().write(TEXTS.map((text) => recordOfCells([JSON.stringify(text)])));
    const all = [...COMPARISONS, 'contains'].flatMap((operator) =>
      HALVES.map((half) => ofText(operator, half)),
    );
    expect(await differences(all)).toEqual([]);
  });

  it('compares decimals with operands of more digits as the library of filters does', async () => {
    const withDecimal = (json: string): RecordValue =>
      recordOfCells(COLUMNS.map(({ name }) => (name === 'dec' ? json : null)));
    await rows().write(DECIMALS.map(withDecimal));
    const all = COMPARISONS.flatMap((operator) =>
      [...DECIMALS, ...LONGER].map((operand) => filterOf('dec', operator, operand)),
    );
    expect(await differences(all)).toEqual([]);
  });

  it('compares no text of an operand as SQL', async () => {
    const texts = [`x' OR '' = '`, '\\', '%', String.raw`\'`];
    await rows().write(texts.map((text) => recordOfCells([JSON.stringify(text)])));
    expect(await rows().selected(texts.map((text) => ofText('is', text)))).toEqual(
      texts.map((text) => texts.map((other) => other === text)),
    );
    expect(await differences(texts.map((text) => ofText('contains', text)))).toEqual([]);
  });
};
