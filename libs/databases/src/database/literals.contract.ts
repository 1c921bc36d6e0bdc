import { JsonText, textOf, type Type, type Value } from '@penstock/schema';
import fc from 'fast-check';
import { call, settingsOf } from '../reading.fixture';
import type { DatabaseStand } from './database.contract';
import { LITERAL_CASES, type LiteralCase } from './literals.fixture';

const RUNS = 60;
/** Values in one statement: a connection for each of them takes most of the time. */
const TOGETHER = 20;

/** Values that no database has a literal of, and some that one without nanoseconds has none of. */
const WITHOUT_LITERAL: readonly (readonly [Type, Value])[] = [
  [{ kind: 'map', elementType: { kind: 'string' } }, new Map()],
  [{ kind: 'datetime' }, '2024-01-01T00:00:00.000000001Z'],
  [{ kind: 'time' }, '00:00:00.000000001'],
];

/** What is special about the literals of a database. */
interface LiteralsOptions {
  readonly absent?: readonly (readonly [Type, Value])[];
  /** For each kind. */
  readonly runs?: number;
}

/** Literals of a database mean the values that they are made of, and nothing else. */
export const literalsContract = (
  stand: () => DatabaseStand,
  cases: readonly LiteralCase[] = LITERAL_CASES,
  { absent = WITHOUT_LITERAL, runs = RUNS }: LiteralsOptions = {},
): void => {
  const literalOf = (type: Type, value: Value): string => stand().database.literal(type, value);

  /** The values as the server understands them, the first of which is a placeholder's, and what stands behind them. */
  const selectedBack = async (
    type: Type,
    [first, ...others]: readonly Value[],
  ): Promise<readonly unknown[]> => {
    const literals = ['${updated_at}', ...others.map((value) => literalOf(type, value))];
    const columns = literals.map((each, n) => `${each} AS c${String(n)}`);
    const query = {
      text: `SELECT ${columns.join(', ')}, 7 AS behind`,
      values: { updatedAt: { type, value: first ?? null }, limit: 1n },
    };
    const rows = await stand().database.query(query, settingsOf(stand().settings()), call());
    const found: unknown[] = [];
    try {
      for await (const batch of rows.records)
        for (const record of batch)
          found.push('values' in record ? Object.values(record.values) : record.error);
    } finally {
      await rows.close();
    }
    return found;
  };

  const areTheSame = async (type: Type, values: readonly Value[]): Promise<void> => {
    const [row] = (await selectedBack(type, values)) as [readonly Value[]];
    expect([...row.slice(0, -1).map(asText), Number(row.at(-1))]).toEqual([
      ...values.map((value) => expected(type, value)),
      7,
    ]);
  };

  it.each(cases)('any $name is the same at the server', async ({ type, values }) => {
    const together = Math.min(TOGETHER, runs);
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: together, maxLength: together }),
        async (all) => {
          // What looks like a placeholder can only be the value of one.
          const isAlone = (value: Value): boolean => literalOf(type, value).includes('${');
          await areTheSame(
            type,
            all.filter((value, n) => n === 0 || !isAlone(value)),
          );
          for (const value of all.slice(1)) if (isAlone(value)) await areTheSame(type, [value]);
        },
      ),
      { numRuns: Math.ceil(runs / together), endOnFailure: true },
    );
  });

  it('the absence of a value is NULL', () => {
    expect(stand().database.literal({ kind: 'string' }, null)).toBe('NULL');
  });

  it.each(absent)('there is no literal of %j', (type, value) => {
    expect(() => stand().database.literal(type, value)).toThrow(RangeError);
  });
};

/** Databases without a type of their own have numbers for booleans, and texts for others. */
const asText = (value: Value): string => {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value instanceof JsonText ? value.text : (value as string | number | bigint).toString();
};

/** Every digit of a float, which the text of a small one leaves out. */
const expected = (type: Type, value: Value): string =>
  type.kind === 'boolean' || type.kind === 'float' ? asText(value) : textOf(type, value);
