import { COLUMNS } from './columns';
import { emptyArray, emptyJson, emptyMap, emptyObject, emptyText } from './empty-tests';
import { jsonContains, jsonEqualsOneOf } from './json-tests';
import { always, ofText, type MakeTest, type Row } from './row';
import { jsonOf } from './shapes';
import type { Test } from './test';
import { containsText, endsWithText, startsWithText } from './text-tests';
import { equalsOneOf } from './typed-tests';

export const equality = (arity: 'one' | 'some'): Row => ({
  arity,
  tests: {
    string: equalsOneOf,
    values: equalsOneOf,
    'values with ""': equalsOneOf,
    number: equalsOneOf,
    moment: equalsOneOf,
    identifier: equalsOneOf,
    json: (_, operands) => jsonEqualsOneOf(operands),
  },
});

const elementEquals: MakeTest = (type, operands) => {
  if (type.kind !== 'json') return equalsOneOf(type, operands);
  const equals = jsonEqualsOneOf(operands);
  return (element) => equals(jsonOf(element));
};

const arrayContains: MakeTest = (type, operands) => {
  const equals = elementEquals(type.kind === 'array' ? type.elementType : type, operands);
  return (value) => Array.isArray(value) && value.some(equals);
};

export const containment: Row = {
  arity: 'one',
  tests: {
    string: ofText(containsText),
    values: ofText(containsText),
    'values with ""': ofText(containsText),
    json: ofText(jsonContains),
    'array of scalars': arrayContains,
  },
};

const affix = (make: (operand: string) => Test): Row => ({
  arity: 'one',
  tests: { string: ofText(make), json: ofText(make) },
});

export const prefix = affix(startsWithText);
export const suffix = affix(endsWithText);

export const truth = (expected: boolean): Row => {
  const test = always((value) => value === expected);
  return { arity: 'none', tests: { boolean: test, json: test } };
};

const orNothing = (empty: Test): MakeTest =>
  always((value) => value === undefined || value === null || empty(value));

export const emptiness: Row = {
  arity: 'none',
  tests: {
    string: orNothing(emptyText),
    'values with ""': orNothing(emptyText),
    json: orNothing(emptyJson),
    'array of scalars': orNothing(emptyArray),
    'other array': orNothing(emptyArray),
    map: orNothing(emptyMap),
    object: orNothing(emptyObject),
  },
};

const inEveryColumn = (make: MakeTest): Row['tests'] =>
  Object.fromEntries(COLUMNS.map((column) => [column, make]));

export const nullness: Row = {
  arity: 'none',
  needs: 'nullable',
  tests: inEveryColumn(always((value) => value === null)),
};

export const existence: Row = {
  arity: 'none',
  needs: 'readOptional',
  tests: inEveryColumn(always((value) => value !== undefined)),
};
