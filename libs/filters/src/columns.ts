import type { Kind, Type } from '@penstock/schema';

/** Types that take the same operators: the columns of the operator table. */
export const COLUMNS = [
  'string',
  'values',
  'values with ""',
  'number',
  'moment',
  'boolean',
  'identifier',
  'json',
  'array of scalars',
  'other array',
  'map',
  'object',
] as const;

export type Column = (typeof COLUMNS)[number];

const BY_KIND: Readonly<Record<Exclude<Kind, 'string' | 'array'>, Column>> = {
  int: 'number',
  float: 'number',
  decimal: 'number',
  datetime: 'moment',
  date: 'moment',
  time: 'moment',
  year: 'moment',
  boolean: 'boolean',
  uuid: 'identifier',
  ip: 'identifier',
  json: 'json',
  map: 'map',
  object: 'object',
};

const NOT_SCALAR: ReadonlySet<Kind> = new Set(['boolean', 'array', 'map', 'object']);

/** The column of a type in the operator table. */
export const columnOf = (type: Type): Column => {
  if (type.kind === 'array')
    return NOT_SCALAR.has(type.elementType.kind) ? 'other array' : 'array of scalars';
  if (type.kind !== 'string') return BY_KIND[type.kind];
  if (type.values === undefined) return 'string';
  return type.values.includes('') ? 'values with ""' : 'values';
};
