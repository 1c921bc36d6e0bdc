import type { Json, Value } from '@penstock/schema';
import { type Category, type Comparand, scalarOf } from './comparand';
import { ruleOf } from './rules';
import { sameJson } from './same-json';

const STRUCTURES: ReadonlySet<Category> = new Set(['array', 'object']);

/** Whether values of two categories can be compared. Json can be compared with anything. */
export const areComparable = (a: Category, b: Category): boolean => {
  if (a === 'json' || b === 'json') return true;
  return STRUCTURES.has(a) ? a === b : ruleOf(a, b) !== undefined;
};

const sameScalars = (a: Comparand, b: Comparand): boolean => {
  const rule = ruleOf(a.category, b.category);
  return rule?.(a.value as NonNullable<Value>, b.value as NonNullable<Value>) ?? false;
};

const jsonAndOther = (json: Json, other: Comparand): boolean | null => {
  if (json === null) return null;
  if (STRUCTURES.has(other.category)) return sameJson(json, other.value as Json | undefined);
  const scalar = scalarOf(json);
  return scalar ? sameScalars(scalar, other) : false;
};

/** Whether two values are equal; null when JSON null is compared with a value that is not json. */
export const compare = (a: Comparand, b: Comparand): boolean | null => {
  const aIsJson = a.category === 'json';
  const bIsJson = b.category === 'json';
  if (aIsJson !== bIsJson)
    return aIsJson ? jsonAndOther(a.value as Json, b) : jsonAndOther(b.value as Json, a);
  if (!aIsJson && !STRUCTURES.has(a.category)) return sameScalars(a, b);
  return sameJson(a.value as Json | undefined, b.value as Json | undefined);
};
