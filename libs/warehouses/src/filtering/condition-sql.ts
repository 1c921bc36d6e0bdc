import type { Operator } from '@penstock/filters';
import type { Type } from '@penstock/schema';
import { type Around, NEVER } from './around';
import type { FilterDialect } from './filter-dialect';

/** What a condition is about. */
export interface Target {
  readonly type: Type;
  /** SQL of its column; of an object, those of all that is in it. */
  readonly columns: readonly string[];
  readonly dialect: FilterDialect;
}

/** SQL of a condition: true where it holds, else false or null. */
type MakeSql = (target: Target, operands: readonly string[]) => string;

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? NEVER : `(${conditions.join(' OR ')})`;

/** True where the condition is false or null: of what is absent, too. */
const not =
  (make: MakeSql): MakeSql =>
  (target, operands) =>
    target.dialect.not(make(target, operands));

const columnOf = ({ columns }: Target): string => columns[0] ?? 'NULL';

const standing = (target: Target, operand: string): Around =>
  target.dialect.around(target.type, columnOf(target), operand);

const comparison =
  (...names: readonly ('less' | 'equal' | 'greater')[]): MakeSql =>
  (target, [operand = '']) => {
    const stands = standing(target, operand);
    return anyOf(names.map((name) => stands[name]));
  };

const less = comparison('less');
const upTo = comparison('less', 'equal');
const greater = comparison('greater');
const from = comparison('greater', 'equal');

const equality: MakeSql = (target, operands) => {
  const values = operands.flatMap((operand) => standing(target, operand).operand ?? []);
  if (values.length === 0) return NEVER;
  return target.dialect.isOneOf(target.type, columnOf(target), values);
};

/** Reversed bounds enclose nothing. */
const range: MakeSql = (target, [lower = '', upper = '']) =>
  `(${from(target, [lower])} AND ${upTo(target, [upper])})`;

const hasHalf = (operand: string): boolean => /\p{Surrogate}/u.test(operand);

/** SQL of a test of texts with one operand. */
const ofText =
  (name: 'contains' | 'startsWith' | 'endsWith'): MakeSql =>
  (target, [operand = '']) =>
    hasHalf(operand) ? NEVER : target.dialect[name](columnOf(target), operand);

const textContains = ofText('contains');
const prefix = ofText('startsWith');
const suffix = ofText('endsWith');

const containment: MakeSql = (target, operands) => {
  const { type, dialect } = target;
  const [operand = ''] = operands;
  return type.kind === 'array'
    ? dialect.has(type, columnOf(target), operand)
    : textContains(target, operands);
};

const emptiness: MakeSql = (target) => {
  const column = columnOf(target);
  return `(${column} IS NULL OR ${target.dialect.isEmpty(target.type, column)})`;
};

/** An object is there when anything in it is. */
const existence: MakeSql = ({ columns }) => anyOf(columns.map((column) => `${column} IS NOT NULL`));

/** What is not there is absent: only inside JSON, which has no conditions here, there is a null of its own. */
const nullness: MakeSql = () => NEVER;

const truth: MakeSql = columnOf;
const falsity: MakeSql = (target) => `NOT ${columnOf(target)}`;

/** Every operator, as the library of filters decides it. */
const OPERATORS: Readonly<Record<Operator, MakeSql>> = {
  is: equality,
  'is not': not(equality),
  'is less than': less,
  'is less than or equal to': upTo,
  'is greater than': greater,
  'is greater than or equal to': from,
  'is between': range,
  'is not between': not(range),
  contains: containment,
  'does not contain': not(containment),
  'is one of': equality,
  'is not one of': not(equality),
  'starts with': prefix,
  'ends with': suffix,
  'is before': less,
  'is on or before': upTo,
  'is after': greater,
  'is on or after': from,
  'is true': truth,
  'is false': falsity,
  'is empty': emptiness,
  'is not empty': not(emptiness),
  'is null': nullness,
  'is not null': not(nullness),
  exists: existence,
  'does not exist': not(existence),
};

/** SQL of a condition on columns. @throws TypeError for one on a value of kind json. */
export const conditionSql = (
  target: Target,
  operator: Operator,
  operands: readonly string[],
): string => {
  if (target.type.kind === 'json') throw new TypeError('JSON is not filtered by the database');
  return OPERATORS[operator](target, operands);
};
