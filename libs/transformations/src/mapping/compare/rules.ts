import type { PlainType, Value } from '@penstock/schema';
import { converter } from '../convert/converter';
import { STRING } from '../types/plain-types';
import type { Category } from './comparand';
import { keyOfFloat, keyOfText, type NumberKey, sameKey } from './same-number';

/** A scalar as it is in memory. */
type Held = NonNullable<Value>;

/** Whether two scalars are equal by value. */
export type Rule = (a: Held, b: Held) => boolean;

const identical: Rule = (a, b) => a === b;

const NUMBERS = {
  int8: (value: Held) => keyOfText((value as number).toString()),
  int: (value: Held) => keyOfText((value as number | bigint).toString()),
  decimal: (value: Held) => keyOfText(value as string),
  float32: (value: Held) => keyOfFloat(value as number, 32),
  float64: (value: Held) => keyOfFloat(value as number, 64),
} satisfies Partial<Record<Category, (value: Held) => NumberKey>>;

type NumberCategory = keyof typeof NUMBERS;

const NUMBER_CATEGORIES = Object.keys(NUMBERS) as NumberCategory[];

const sameInt: Rule = (a, b) =>
  typeof a === typeof b ? a === b : BigInt(a as number | bigint) === BigInt(b as number | bigint);

const numeric = (a: NumberCategory, b: NumberCategory): Rule => {
  if (a.startsWith('int') && b.startsWith('int')) return sameInt;
  if (a.startsWith('float') && b.startsWith('float')) return identical;
  return (x, y) => sameKey(NUMBERS[a](x), NUMBERS[b](y));
};

const textAndNumber =
  (category: NumberCategory): Rule =>
  (text, number) =>
    sameKey(keyOfText(text as string), NUMBERS[category](number));

/** Kinds that a string is converted to before it is compared. */
const CONVERTED = ['boolean', 'datetime', 'date', 'time', 'uuid', 'ip'] as const;

const textAndKind = (kind: PlainType['kind']): Rule => {
  const convert = converter(STRING, { kind });
  return (text, value) => convert?.(text) === value;
};

type Row = readonly [a: Category, b: Category, rule: Rule];

const swapped = ([a, b, rule]: Row): Row => [b, a, (x, y) => rule(y, x)];

const MIXED: readonly Row[] = [
  ...NUMBER_CATEGORIES.map((number): Row => ['string', number, textAndNumber(number)]),
  ...CONVERTED.map((kind): Row => ['string', kind, textAndKind(kind)]),
  ['boolean', 'int8', (boolean, int) => (int !== 0) === boolean],
  ['date', 'datetime', (date, datetime) => `${date as string}T00:00:00Z` === datetime],
];

const ROWS: readonly Row[] = [
  ['string', 'string', identical],
  ...CONVERTED.map((kind): Row => [kind, kind, identical]),
  ...NUMBER_CATEGORIES.flatMap((a) => NUMBER_CATEGORIES.map((b): Row => [a, b, numeric(a, b)])),
  ...MIXED,
  ...MIXED.map(swapped),
];

const rulesOf = (category: Category): ReadonlyMap<Category, Rule> =>
  new Map(ROWS.filter(([a]) => a === category).map(([, b, rule]) => [b, rule]));

const RULES = new Map(ROWS.map(([a]) => [a, rulesOf(a)]));

/** Returns the rule for two scalars; undefined when they cannot be compared. */
export const ruleOf = (a: Category, b: Category): Rule | undefined => RULES.get(a)?.get(b);
