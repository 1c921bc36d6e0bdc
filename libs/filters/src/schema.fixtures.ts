import type { Property, Schema, Type } from '@penstock/schema';
import type { Column } from './columns';

const NO_FLAGS = {
  prefilled: '',
  createRequired: false,
  updateRequired: false,
  readOptional: false,
  nullable: false,
  description: '',
};

/** A property without flags, but those given. */
export const aProperty = (name: string, type: Type, flags: Partial<Property> = {}): Property => ({
  ...NO_FLAGS,
  name,
  type,
  ...flags,
});

export const aSchema = (...properties: readonly Property[]): Schema => ({
  kind: 'object',
  properties,
});

export const anInt = (bitSize: 8 | 16 | 24 | 32 | 64, unsigned = false): Type => {
  const [low, high] = unsigned ? [0, bitSize] : [bitSize - 1, bitSize - 1];
  return {
    kind: 'int',
    bitSize,
    unsigned,
    minimum: unsigned ? 0n : -(2n ** BigInt(low)),
    maximum: 2n ** BigInt(high) - 1n,
  };
};

export const aFloat = (bitSize: 32 | 64): Type => ({ kind: 'float', bitSize, real: false });

export const aDecimal: Type = { kind: 'decimal', precision: 10, scale: 3 };

export const anArray = (elementType: Type): Type => ({
  kind: 'array',
  elementType,
  minElements: 0,
  maxElements: 2147483647,
  uniqueElements: false,
});

const STRING: Type = { kind: 'string' };

/** A type or more for each column of the operator table; together they are of all kinds. */
export const TYPES: Readonly<Record<Column, readonly Type[]>> = {
  string: [STRING],
  values: [{ kind: 'string', values: ['A', 'B'] }],
  'values with ""': [{ kind: 'string', values: ['A', ''] }],
  number: [anInt(8), anInt(32, true), anInt(64), anInt(64, true), aFloat(32), aFloat(64), aDecimal],
  moment: [{ kind: 'datetime' }, { kind: 'date' }, { kind: 'time' }, { kind: 'year' }],
  boolean: [{ kind: 'boolean' }],
  identifier: [{ kind: 'uuid' }, { kind: 'ip' }],
  json: [{ kind: 'json' }],
  'array of scalars': [anArray(STRING), anArray({ kind: 'json' }), anArray(aFloat(32))],
  'other array': [
    anArray({ kind: 'boolean' }),
    anArray(anArray(STRING)),
    anArray({ kind: 'map', elementType: STRING }),
    anArray(aSchema(aProperty('member', STRING))),
  ],
  map: [{ kind: 'map', elementType: STRING }],
  object: [aSchema(aProperty('member', STRING))],
};
