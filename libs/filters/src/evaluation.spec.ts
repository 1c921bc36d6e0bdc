import { JsonText, newRecord, parseJson, type Type, type Value } from '@penstock/schema';
import { COLUMNS, columnOf } from './columns';
import { compileFilter } from './compile-filter';
import { OPERATOR_NAMES, rowOf, type Operator } from './operators';
import { OPPOSITES } from './opposites.fixtures';
import { parseFilter } from './parse-filter';
import { aDecimal, aFloat, anArray, anInt, aProperty, aSchema, TYPES } from './schema.fixtures';

const STRING: Type = { kind: 'string' };
const AB: Type = { kind: 'string', values: ['A', 'AB'] };
const A_OR_NOTHING: Type = { kind: 'string', values: ['A', ''] };
const DATETIME: Type = { kind: 'datetime' };
const JSON_TYPE: Type = { kind: 'json' };
const MAP: Type = { kind: 'map', elementType: STRING };
const OBJECT = aSchema(aProperty('member', STRING));
const IP: Type = { kind: 'ip' };

const NOON = '2024-02-29T12:00:00Z';
const EVENING = '2024-02-29T18:00:00Z';
const NIGHT = '2024-02-29T23:00:00Z';

const json = (text: string): Value => JsonText.trusted(text);

type Row = [operator: Operator, type: Type, operands: string[], yes: Value[], no: Value[]];

/** Of each operator and its opposite together. */
const ROWS: Row[] = [
  ['is', STRING, ['ab'], ['ab'], ['AB', 'a', 'abc', '']],
  ['is', AB, ['A'], ['A'], ['AB']],
  ['is', A_OR_NOTHING, [''], [''], ['A']],
  ['is', anInt(64), ['9223372036854775807'], [2n ** 63n - 1n], [2n ** 63n - 2n]],
  ['is', DATETIME, [NOON], [NOON], ['2024-02-29T12:00:00.000000001Z']],
  ['is', IP, ['1.2.3.4'], ['1.2.3.4'], ['::ffff:1.2.3.4']],
  ['is', JSON_TYPE, ['5'], [json('5.0'), json('"5"')], [json('6'), json('[5]'), json('true')]],
  ['is less than', STRING, ['b'], ['a', 'B', 'az'], ['b', 'ba']],
  ['is less than', anInt(8), ['5'], [4], [5, 6]],
  ['is less than', JSON_TYPE, ['10'], [json('9'), json('"1"')], [json('10.0'), json('"9"')]],
  ['is less than or equal to', STRING, ['b'], ['a', 'b'], ['ba']],
  ['is less than or equal to', aDecimal, ['1.5'], ['1.49', '1.5'], ['1.51', '10']],
  ['is less than or equal to', JSON_TYPE, ['10'], [json('10.0')], [json('11'), json('"9"')]],
  ['is greater than', STRING, ['b'], ['ba', '\u{1f600}'], ['b', 'a']],
  ['is greater than', aFloat(64), ['1.5'], [1.6, Infinity], [1.5, 1.4, NaN]],
  ['is greater than', JSON_TYPE, ['10'], [json('11'), json('"9"')], [json('10'), json('"1"')]],
  ['is greater than or equal to', STRING, ['b'], ['b', 'ba'], ['a']],
  ['is greater than or equal to', aFloat(32), ['1.1'], [Math.fround(1.1), 2], [1, NaN]],
  ['is greater than or equal to', JSON_TYPE, ['10'], [json('10'), json('1e2')], [json('9.9')]],
  ['is between', STRING, ['b', 'd'], ['b', 'c', 'd'], ['a', 'da']],
  ['is between', anInt(8), ['5', '7'], [5, 6, 7], [4, 8]],
  ['is between', DATETIME, [NOON, NIGHT], [NOON, EVENING, NIGHT], ['2024-02-29T11:59:59Z']],
  ['is between', JSON_TYPE, ['5', '7'], [json('5'), json('"6"'), json('7.0')], [json('8')]],
  ['is between', anInt(8), ['7', '5'], [], [5, 6, 7]],
  ['is between', JSON_TYPE, ['5', 'x'], [json('"6"')], [json('6')]],
  ['contains', STRING, ['bc'], ['abcd', 'bc'], ['bd', 'BC', '']],
  ['contains', AB, ['A'], ['A', 'AB'], []],
  ['contains', A_OR_NOTHING, ['A'], ['A'], ['']],
  ['contains', JSON_TYPE, ['5'], [json('"151"'), json('[1,5.0]')], [json('5'), json('[[5]]')]],
  ['contains', anArray(DATETIME), [NOON], [[NIGHT, NOON]], [[], [NIGHT]]],
  ['contains', anArray(aFloat(32)), ['1.1'], [[Math.fround(1.1)]], [[1]]],
  ['contains', anArray(JSON_TYPE), ['5'], [[json('"5"')], [json('5.0')]], [[json('[5]')]]],
  ['is one of', STRING, ['a', 'b'], ['a', 'b'], ['c', 'ab']],
  ['is one of', AB, ['A', 'AB'], ['A', 'AB'], []],
  ['is one of', A_OR_NOTHING, [''], [''], ['A']],
  ['is one of', aDecimal, ['1.50', '2'], ['1.5', '2'], ['15']],
  ['is one of', { kind: 'year' }, ['2023', '0024'], [2023, 24], [2024]],
  ['is one of', IP, ['::1', '0:0::2'], ['::1', '::2'], ['::3']],
  ['is one of', JSON_TYPE, ['5', 'x'], [json('5'), json('"x"'), json('"5"')], [json('"y"')]],
  ['starts with', STRING, ['ab'], ['ab', 'abc'], ['cab', 'Ab', '']],
  ['starts with', JSON_TYPE, ['5'], [json('"51"')], [json('"15"'), json('51'), json('["5"]')]],
  ['ends with', STRING, ['ab'], ['ab', 'cab'], ['abc', 'aB', '']],
  ['ends with', JSON_TYPE, ['5'], [json('"15"')], [json('"51"'), json('15'), json('["5"]')]],
  ['is before', DATETIME, [EVENING], [NOON], [EVENING, NIGHT]],
  ['is before', JSON_TYPE, [EVENING], [json(`"${NOON}"`)], [json(`"${EVENING}"`), json('1')]],
  ['is on or before', { kind: 'time' }, ['10:00:00'], ['10:00:00'], ['10:00:00.001']],
  ['is on or before', JSON_TYPE, [EVENING], [json(`"${EVENING}"`)], [json(`"${NIGHT}"`)]],
  ['is after', { kind: 'year' }, ['999'], [1000], [999, 998]],
  ['is after', JSON_TYPE, [EVENING], [json('"2024-W10"')], [json(`"${EVENING}"`), json('"x"')]],
  ['is on or after', { kind: 'date' }, ['2024-02-29'], ['2024-02-29'], ['2024-02-28']],
  ['is on or after', JSON_TYPE, [EVENING], [json(`"${EVENING}"`)], [json(`"${NOON}"`)]],
  ['is true', { kind: 'boolean' }, [], [true], [false]],
  ['is true', JSON_TYPE, [], [json('true')], [json('false'), json('1'), json('"true"')]],
  ['is false', { kind: 'boolean' }, [], [false], [true]],
  ['is false', JSON_TYPE, [], [json('false')], [json('true'), json('0'), json('""')]],
  ['is empty', STRING, [], [''], [' ']],
  ['is empty', A_OR_NOTHING, [], [''], ['A']],
  ['is empty', JSON_TYPE, [], ['""', '[]', '{}'].map(json), ['0', 'false', '[0]'].map(json)],
  ['is empty', anArray(STRING), [], [[]], [['']]],
  ['is empty', anArray({ kind: 'boolean' }), [], [[]], [[false]]],
  ['is empty', MAP, [], [new Map()], [new Map([['', '']])]],
  ['is empty', OBJECT, [], [newRecord()], [Object.assign(newRecord(), { member: '' })]],
];

type NothingRow = [operator: Operator, missing: boolean, isNull: boolean];

/** What each operator returns for a missing value and for null. */
const NOTHING: NothingRow[] = [
  ['is', false, false],
  ['is less than', false, false],
  ['is less than or equal to', false, false],
  ['is greater than', false, false],
  ['is greater than or equal to', false, false],
  ['is between', false, false],
  ['contains', false, false],
  ['is one of', false, false],
  ['starts with', false, false],
  ['ends with', false, false],
  ['is before', false, false],
  ['is on or before', false, false],
  ['is after', false, false],
  ['is on or after', false, false],
  ['is true', false, false],
  ['is false', false, false],
  ['is null', false, true],
  ['exists', false, true],
  ['is empty', true, true],
];

const evaluate = (
  operator: Operator,
  type: Type,
  values: readonly string[],
  member?: Value,
): boolean => {
  const schema = aSchema(aProperty('p', type, { nullable: true, readOptional: true }));
  const conditions = [{ property: 'p', operator, values }];
  const given = parseJson(JSON.stringify({ logical: 'and', conditions }));
  const record = newRecord();
  if (member !== undefined) record['p'] = member;
  return compileFilter(parseFilter(given, schema, 'SourceUser'), schema).matches(record);
};

it.each(ROWS)(
  '%s over %j with %j is true of %p and false of %p',
  (operator, type, values, yes, no) => {
    const members = [...yes, ...no];
    const isTrue = members.map((member) => evaluate(operator, type, values, member));
    expect(isTrue).toEqual([...yes.map(() => true), ...no.map(() => false)]);
    const opposite = OPPOSITES[operator];
    if (opposite === undefined) return;
    const isFalse = members.map((member) => !evaluate(opposite, type, values, member));
    expect(isFalse).toEqual(isTrue);
  },
);

it.each(NOTHING)('%s of a missing value is %s, of null %s', (operator, missing, isNull) => {
  const cells = ROWS.filter(([name]) => name === operator).map(([, type, values]) => ({
    type,
    values,
  }));
  const anywhere = Object.values(TYPES)
    .flat()
    .map((type) => ({ type, values: [] }));
  for (const { type, values } of cells.length > 0 ? cells : anywhere) {
    expect(evaluate(operator, type, values)).toBe(missing);
    expect(evaluate(operator, type, values, null)).toBe(isNull);
    const opposite = OPPOSITES[operator];
    if (opposite === undefined) continue;
    expect(evaluate(opposite, type, values)).toBe(!missing);
    expect(evaluate(opposite, type, values, null)).toBe(!isNull);
  }
});

describe('the tables above', () => {
  const negative = new Set(Object.values(OPPOSITES));
  const positive = OPERATOR_NAMES.filter((operator) => !negative.has(operator));

  it('have a row for every operator that is no opposite', () => {
    expect(NOTHING.map(([operator]) => operator).toSorted()).toEqual(positive.toSorted());
  });

  it.each(positive)('have a row for %s in each column that it fits', (operator) => {
    if (rowOf(operator).needs !== undefined) return;
    const rows = ROWS.filter(([name]) => name === operator).map(([, type]) => columnOf(type));
    const fitting = COLUMNS.filter((column) => rowOf(operator).tests[column] !== undefined);
    expect(COLUMNS.filter((column) => rows.includes(column))).toEqual(fitting);
  });
});
