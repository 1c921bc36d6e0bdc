import type { SchemaElement } from 'hyparquet';
import type { DecimalType, IntType, Type } from '@penstock/schema';
import {
  dateOf,
  decimalOf,
  float16Of,
  int96Of,
  jsonOf,
  textOfBytes,
  timeOf,
  timestampOf,
  uuidOf,
} from './convert';

/** What a column of scalars becomes. */
export interface LeafType {
  readonly type: Type;
  readonly convert: (raw: unknown) => unknown;
}

type Unit = 'MILLIS' | 'MICROS' | 'NANOS';

/** How many units there are in a second. */
const PER_SECOND: Readonly<Record<Unit, bigint>> = {
  MILLIS: 1_000n,
  MICROS: 1_000_000n,
  NANOS: 1_000_000_000n,
};

const same = (raw: unknown): unknown => raw;

const intType = (bitSize: IntType['bitSize'], unsigned: boolean): IntType => ({
  kind: 'int',
  bitSize,
  unsigned,
  minimum: unsigned ? 0n : -(2n ** BigInt(bitSize - 1)),
  maximum: 2n ** BigInt(unsigned ? bitSize : bitSize - 1) - 1n,
});

/** @param bitSize 8, 16, 32 or 64; smaller ones are stored in 32 bits. */
const int = (bitSize: number, unsigned: boolean): LeafType | undefined => {
  const size = ([8, 16, 32, 64] as const).find((each) => each === bitSize);
  if (size === undefined) return undefined;
  const type = intType(size, unsigned);
  if (size === 64)
    return { type, convert: unsigned ? (raw) => BigInt.asUintN(64, raw as bigint) : same };
  return { type, convert: unsigned ? (raw) => (raw as number) >>> 0 : same };
};

const MAX_PRECISION = 76;
const MAX_SCALE = 37;

const decimal = (precision = 0, scale = 0): LeafType | undefined => {
  if (
    precision < 1 ||
    precision > MAX_PRECISION ||
    scale < 0 ||
    scale > MAX_SCALE ||
    scale > precision
  )
    return undefined;
  const type: DecimalType = { kind: 'decimal', precision, scale };
  return { type, convert: decimalOf(precision, scale) };
};

const datetime = (unit: Unit): LeafType => ({
  type: { kind: 'datetime' },
  convert: timestampOf(PER_SECOND[unit]),
});

const time = (unit: Unit): LeafType => ({
  type: { kind: 'time' },
  convert: timeOf(PER_SECOND[unit]),
});

const date: LeafType = { type: { kind: 'date' }, convert: dateOf };
const text: LeafType = { type: { kind: 'string' }, convert: textOfBytes };
const json: LeafType = { type: { kind: 'json' }, convert: jsonOf };

/** By the logical type, which newer writers give. */
const logical = ({
  logical_type: of,
  type,
  type_length: length,
}: SchemaElement): LeafType | undefined => {
  switch (of?.type) {
    case 'STRING':
    case 'ENUM':
      return type === 'BYTE_ARRAY' ? text : undefined;
    case 'JSON':
      return type === 'BYTE_ARRAY' ? json : undefined;
    case 'DECIMAL':
      return decimal(of.precision, of.scale);
    case 'DATE':
      return type === 'INT32' ? date : undefined;
    case 'TIME':
      return type === 'INT32' || type === 'INT64' ? time(of.unit) : undefined;
    case 'TIMESTAMP':
      return type === 'INT64' ? datetime(of.unit) : undefined;
    case 'INTEGER':
      return type === (of.bitWidth === 64 ? 'INT64' : 'INT32')
        ? int(of.bitWidth, !of.isSigned)
        : undefined;
    case 'UUID':
      return length === 16 ? { type: { kind: 'uuid' }, convert: uuidOf } : undefined;
    case 'FLOAT16':
      return length === 2
        ? { type: { kind: 'float', bitSize: 32, real: false }, convert: float16Of }
        : undefined;
    default:
      return undefined;
  }
};

/** By the converted type, which older writers give. */
const converted = (element: SchemaElement): LeafType | undefined => {
  const { converted_type: of, precision, scale } = element;
  switch (of) {
    case 'UTF8':
    case 'ENUM':
      return text;
    case 'JSON':
      return json;
    case 'DECIMAL':
      return decimal(precision, scale);
    case 'DATE':
      return date;
    case 'TIME_MILLIS':
      return time('MILLIS');
    case 'TIME_MICROS':
      return time('MICROS');
    case 'TIMESTAMP_MILLIS':
      return datetime('MILLIS');
    case 'TIMESTAMP_MICROS':
      return datetime('MICROS');
    default: {
      const size = /^(U?)INT_(8|16|32|64)$/.exec(of ?? '');
      return size === null ? undefined : int(Number(size[2]), size[1] === 'U');
    }
  }
};

/** By the physical type alone. */
const physical = ({ type }: SchemaElement): LeafType | undefined => {
  switch (type) {
    case 'BOOLEAN':
      return { type: { kind: 'boolean' }, convert: same };
    case 'INT32':
      return int(32, false);
    case 'INT64':
      return int(64, false);
    case 'INT96':
      return { type: { kind: 'datetime' }, convert: int96Of };
    case 'FLOAT':
      return { type: { kind: 'float', bitSize: 32, real: false }, convert: positiveZero };
    case 'DOUBLE':
      return { type: { kind: 'float', bitSize: 64, real: false }, convert: positiveZero };
    default:
      return undefined;
  }
};

/** Values in memory are never -0. */
const positiveZero = (raw: unknown): unknown => (raw === 0 ? 0 : raw);

/**
 * What a column of scalars becomes.
 *
 * @returns undefined when no type is like that of the column.
 */
export const leafTypeOf = (element: SchemaElement): LeafType | undefined => {
  if (element.logical_type !== undefined) return logical(element) ?? converted(element);
  return element.converted_type === undefined ? physical(element) : converted(element);
};

/** The type of a column as people know it. */
export const nameOfType = ({
  logical_type: of,
  converted_type: other,
  type,
}: SchemaElement): string => of?.type ?? other ?? type ?? 'group';
