import { COLUMNS, columnOf, type Column } from './columns';
import { fits } from './read-operator';
import { aProperty, TYPES } from './schema.fixtures';
import { OPERATOR_NAMES, rowOf, type Operator } from './operators';
import type { Arity } from './row';
import type { Target } from './target';

/** One letter a column, in the order of COLUMNS: x where the operator fits. */
const TABLE: Readonly<Record<Operator, readonly [fits: string, arity: Arity]>> = {
  //                            string, values, values with "", number, moment, boolean,
  //                            identifier, json, array of scalars, other array, map, object
  is: ['xxxxx-xx----', 'one'],
  'is not': ['xxxxx-xx----', 'one'],
  'is less than': ['x--x---x----', 'one'],
  'is less than or equal to': ['x--x---x----', 'one'],
  'is greater than': ['x--x---x----', 'one'],
  'is greater than or equal to': ['x--x---x----', 'one'],
  'is between': ['x--xx--x----', 'two'],
  'is not between': ['x--xx--x----', 'two'],
  contains: ['xxx----xx---', 'one'],
  'does not contain': ['xxx----xx---', 'one'],
  'is one of': ['xxxxx-xx----', 'some'],
  'is not one of': ['xxxxx-xx----', 'some'],
  'starts with': ['x------x----', 'one'],
  'ends with': ['x------x----', 'one'],
  'is before': ['----x--x----', 'one'],
  'is on or before': ['----x--x----', 'one'],
  'is after': ['----x--x----', 'one'],
  'is on or after': ['----x--x----', 'one'],
  'is true': ['-----x-x----', 'none'],
  'is false': ['-----x-x----', 'none'],
  'is empty': ['x-x----xxxxx', 'none'],
  'is not empty': ['x-x----xxxxx', 'none'],
  'is null': ['xxxxxxxxxxxx', 'none'],
  'is not null': ['xxxxxxxxxxxx', 'none'],
  exists: ['xxxxxxxxxxxx', 'none'],
  'does not exist': ['xxxxxxxxxxxx', 'none'],
};

const CELLS = OPERATOR_NAMES.flatMap((operator) =>
  COLUMNS.flatMap((column, index) =>
    TYPES[column].map((type) => ({ operator, column, type, fit: TABLE[operator][0][index] })),
  ),
);

const target = (type: Target['property']['type'], inside: readonly string[] = []): Target => ({
  property: aProperty('p', type, { nullable: true, readOptional: true }),
  steps: ['p'],
  inside,
});

it('has every operator in the table, and no other', () => {
  expect(OPERATOR_NAMES).toEqual(Object.keys(TABLE));
});

it.each(OPERATOR_NAMES)('%s takes its number of operands', (operator) => {
  expect(rowOf(operator).arity).toBe(TABLE[operator][1]);
});

it.each(CELLS)('$operator × $column ($type.kind): $fit', ({ operator, column, type, fit }) => {
  expect(columnOf(type)).toBe(column);
  expect(fits(operator, target(type), 'SourceUser')).toBe(fit === 'x');
});

it('has a type in the table for every column', () => {
  const columns = Object.keys(TYPES) as Column[];
  expect(columns.toSorted()).toEqual(COLUMNS.toSorted());
});

describe('what an operator needs beside the kind', () => {
  const string = { kind: 'string' } as const;
  const json = { kind: 'json' } as const;
  const flagged = (type: Target['property']['type'], flags: object, inside: string[] = []) => ({
    ...target(type, inside),
    property: aProperty('p', type, flags),
  });

  it.each<[Operator, Target, boolean]>([
    ['is null', flagged(string, {}), false],
    ['is null', flagged(string, { readOptional: true }), false],
    ['is not null', flagged(string, { nullable: true }), true],
    ['is null', flagged(json, {}), true],
    ['is not null', flagged(json, {}, ['a']), true],
    ['exists', flagged(string, {}), false],
    ['exists', flagged(string, { nullable: true }), false],
    ['does not exist', flagged(string, { readOptional: true }), true],
    ['exists', flagged(json, {}), false],
    ['exists', flagged(json, { readOptional: true }), true],
    ['does not exist', flagged(json, {}, ['a']), true],
  ])('%s of %j: %s', (operator, place, expected) => {
    expect(fits(operator, place, 'SourceUser')).toBe(expected);
  });

  it.each(['is empty', 'is not empty'] as const)(
    '%s of an object is for source users only',
    (operator) => {
      const object = flagged(TYPES.object[0] ?? string, {});
      const fit = (
        ['SourceUser', 'DestinationUser', 'SourceEvent', 'DestinationEvent'] as const
      ).map((context) => fits(operator, object, context));
      expect(fit).toEqual([true, false, false, false]);
    },
  );
});
