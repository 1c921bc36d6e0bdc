/** The fifteen kinds. Anything else is refused when a type is parsed. */
export const KINDS = [
  'string',
  'boolean',
  'int',
  'float',
  'decimal',
  'datetime',
  'date',
  'time',
  'year',
  'uuid',
  'json',
  'ip',
  'array',
  'object',
  'map',
] as const;

/** The name of a kind, such as `string` or `decimal`. */
export type Kind = (typeof KINDS)[number];

/** A text, restricted by a list, a pattern or lengths. */
export interface StringType {
  readonly kind: 'string';
  /** NFC-normalised, in the order given. Excludes `pattern`. */
  readonly values?: readonly string[];
  /** The text of an RE2 pattern, found anywhere in the value. */
  readonly pattern?: string;
  /** Code points, 1 to 4294967295. */
  readonly maxLength?: number;
  /** UTF-8 bytes, 1 to 4294967295. */
  readonly maxByteLength?: number;
}

/** An integer of a size in bits, signed or not. */
export interface IntType {
  readonly kind: 'int';
  readonly bitSize: 8 | 16 | 24 | 32 | 64;
  readonly unsigned: boolean;
  /** Always there: the natural extreme of size and sign where none was given. */
  readonly minimum: bigint;
  readonly maximum: bigint;
}

/** A floating point number as IEEE 754 has it. */
export interface FloatType {
  readonly kind: 'float';
  readonly bitSize: 32 | 64;
  /** Excludes NaN and the infinities. */
  readonly real: boolean;
  /** Finite, rounded to the bit size. Absent: no bound was given, or it was the natural one of a `real`. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An exact decimal number. */
export interface DecimalType {
  readonly kind: 'decimal';
  /** 1 to 76. */
  readonly precision: number;
  /** 0 to 37, at most the precision. */
  readonly scale: number;
  /** Canonical decimal text (see `value.ts`). Absent: none was given, or it was the natural extreme. */
  readonly minimum?: string;
  readonly maximum?: string;
}

/** Kinds without any key of their own. */
export interface PlainType {
  readonly kind: 'boolean' | 'datetime' | 'date' | 'time' | 'year' | 'uuid' | 'json' | 'ip';
}

/** A list of values of one type. */
export interface ArrayType {
  readonly kind: 'array';
  readonly elementType: Type;
  /** 0 to 2147483647; 0 when not given. */
  readonly minElements: number;
  /** 0 to 2147483647; 2147483647 when not given. */
  readonly maxElements: number;
  readonly uniqueElements: boolean;
}

/** Values of one type under names that are not known beforehand. */
export interface MapType {
  readonly kind: 'map';
  readonly elementType: Type;
}

/** Values of different types under names that the type gives. */
export interface ObjectType {
  readonly kind: 'object';
  /** At least one; names are unique, case matters. */
  readonly properties: readonly Property[];
}

/** Any type, discriminated by its kind. */
export type Type =
  | StringType
  | IntType
  | FloatType
  | DecimalType
  | PlainType
  | ArrayType
  | MapType
  | ObjectType;

/** A schema has the representation of an object type. */
export type Schema = ObjectType;

/** A named member of an object type. */
export interface Property {
  /** `[A-Za-z_][A-Za-z0-9_]*` */
  readonly name: string;
  readonly type: Type;
  /** Text of an expression, `''` when there is none. */
  readonly prefilled: string;
  readonly createRequired: boolean;
  readonly updateRequired: boolean;
  /** May be absent when reading. */
  readonly readOptional: boolean;
  readonly nullable: boolean;
  /** `''` when there is none. */
  readonly description: string;
}
