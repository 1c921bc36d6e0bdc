import { JsonText, textOf, type Type, type Value } from '@penstock/schema';
import fc from 'fast-check';
import { call, settingsOf } from '../reading.fixture';
import type { DatabaseStand } from './database.contract';
import { LITERAL_CASES, type LiteralCase } from './literals.fixture';

const RUNS = 60;

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
  /** The value of the placeholder as the server understands it, and what stands behind it. */
  const selectedBack = async (type: Type, value: Value): Promise<readonly unknown[]> => {
    const query = {
      text: 'SELECT ${updated_at} AS c, 7 AS behind',
      values: { updatedAt: { type, value }, limit: 1n },
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

  it.each(cases)('any $name is the same at the server', async ({ type, values }) => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const [row] = (await selectedBack(type, value)) as [readonly [Value, number | string]];
        expect([asText(row[0]), Number(row[1])]).toEqual([expected(type, value), 7]);
      }),
      { numRuns: runs, endOnFailure: true },
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
