import type {
  ArrayType,
  DecimalType,
  IntType,
  MapType,
  PlainType,
  StringType,
} from '@penstock/schema';

/** Types of literals and of functions' results, without constraints. */
export const STRING: StringType = { kind: 'string' };
export const BOOLEAN: PlainType = { kind: 'boolean' };
export const DATETIME: PlainType = { kind: 'datetime' };
export const JSON_VALUE: PlainType = { kind: 'json' };
/** Type of literals and of `round`: 76 digits before the point and 37 after it, wider than any of a schema. */
export const DECIMAL: DecimalType = { kind: 'decimal', precision: 113, scale: 37 };

const int = (bitSize: 32 | 64): IntType => ({
  kind: 'int',
  bitSize,
  unsigned: false,
  minimum: -(2n ** BigInt(bitSize - 1)),
  maximum: 2n ** BigInt(bitSize - 1) - 1n,
});

export const INT32 = int(32);
export const INT64 = int(64);

const MAX_ELEMENTS = 2_147_483_647;

const arrayOf = (elementType: PlainType | StringType): ArrayType => ({
  kind: 'array',
  elementType,
  minElements: 0,
  maxElements: MAX_ELEMENTS,
  uniqueElements: false,
});

export const STRINGS = arrayOf(STRING);
export const JSON_VALUES = arrayOf(JSON_VALUE);
export const JSON_MAP: MapType = { kind: 'map', elementType: JSON_VALUE };
