import { type Filter, OPERATOR_NAMES, type Operator, parseFilter } from '@penstock/filters';
import { decodeValue, Invalid, parseJson, textOf, type Type } from '@penstock/schema';
import fc from 'fast-check';
import { COLUMNS, jsonOf, PROFILES } from './profiles.fixture';

/** Operands that some kinds take for numbers, or that no database can hold. */
const STRANGE = [
  ...['5', '-0', '0.1', '1e3', '1e-400', '0e99999', '1e200000', '1e-20000', 'A'],
  ...['a\ud83d', 'a\ude00b', '\ud83d', '\ude00'],
];

/** Operands near the values of a type. */
const operandOf = (type: Type): fc.Arbitrary<string> => {
  const own = type.kind === 'array' ? type.elementType : type;
  const strange = fc.constantFrom(...STRANGE);
  if (['json', 'map', 'array', 'object'].includes(own.kind)) return strange;
  const near = jsonOf(own).map((json) => textOf(own, decodeValue(own, parseJson(json))));
  return fc.oneof({ weight: 5, arbitrary: near }, { weight: 1, arbitrary: strange });
};

/** Where a condition may be, and the type whose values its operands are near. */
type Place = readonly [path: string, type: Type];

const PLACES: readonly Place[] = [
  ...COLUMNS.map(({ path, type }) => [path.join('.'), type] as const),
  ['near', { kind: 'string' }],
  ['near.far', { kind: 'string' }],
];

const NONE_NEEDED = /empty$|null$|exist|true$|false$/;

const operandCounts = (operator: Operator): readonly [least: number, most: number] => {
  if (NONE_NEEDED.test(operator)) return [0, 0];
  if (operator.endsWith('between')) return [2, 2];
  return [1, operator.endsWith('one of') ? 3 : 1];
};

interface Conditions {
  readonly logical: 'and' | 'or';
  readonly conditions: readonly object[];
}

const parsed = (filter: Conditions): Filter | undefined => {
  try {
    const json = parseJson(JSON.stringify(filter));
    return parseFilter(json, PROFILES.schema, 'DestinationUser');
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
};

const conditionOf = (operator: Operator, [property, type]: Place) => {
  const [minLength, maxLength] = operandCounts(operator);
  return fc
    .array(operandOf(type), { minLength, maxLength })
    .map((values) => ({ property, operator, values }));
};

const isFit = (condition: object): boolean =>
  parsed({ logical: 'and', conditions: [condition] }) !== undefined;

/** Every pair of an operator and a property that fit each other, as the library of filters says. */
const CONDITIONS = PLACES.flatMap((place) =>
  OPERATOR_NAMES.map((operator) => conditionOf(operator, place)),
)
  .filter((condition) => fc.sample(condition, { seed: 1, numRuns: 30 }).some(isFit))
  .map((condition) => condition.filter(isFit));

/** How many pairs there are. */
export const PAIRS = CONDITIONS.length;

const filterOf = (filter: Conditions): Filter => {
  const result = parsed(filter);
  if (result === undefined) throw new TypeError('each of the conditions was parsed before');
  return result;
};

/** A filter of one condition for every pair of an operator and a property. */
export const everyPair: fc.Arbitrary<readonly Filter[]> = fc
  .tuple(...CONDITIONS)
  .map((all) => all.map((condition) => filterOf({ logical: 'and', conditions: [condition] })));

/** Filters of several conditions. */
export const filters: fc.Arbitrary<Filter> = fc
  .record({
    logical: fc.constantFrom('and' as const, 'or' as const),
    conditions: fc.array(fc.oneof(...CONDITIONS), { minLength: 1, maxLength: 4 }),
  })
  .map(filterOf);
