import type { SchemaElement } from 'hyparquet';
import type { DecimalType, FloatType, IntType, JsonText, PlainType, Value } from '@penstock/schema';

/** How a scalar is stored: its part of the schema, and what a value becomes. */
export interface WrittenLeaf {
  readonly element: Omit<SchemaElement, 'name' | 'repetition_type'>;
  readonly convert: (value: Value) => unknown;
}

/** Digits that integers of 32 and 64 bits hold whatever they are. */
const DIGITS_OF_32 = 9;
const DIGITS_OF_64 = 18;
const MS_PER_DAY = 86_400_000;

const same = (value: Value): unknown => value;

/** Only the older name of the type is written: the library writes the newer one in a form that others cannot read. */
const int = ({ bitSize, unsigned }: IntType): WrittenLeaf => {
  if (bitSize === 64)
    return {
      element: {
        type: 'INT64',
        converted_type: unsigned ? 'UINT_64' : 'INT_64',
      },
      convert: same,
    };
  const stored = bitSize === 24 ? 32 : bitSize;
  return {
    element: {
      type: 'INT32',
      converted_type: `${unsigned ? 'U' : ''}INT_${stored}` as const,
    },
    convert: same,
  };
};

const float = ({ bitSize }: FloatType): WrittenLeaf => ({
  element: { type: bitSize === 32 ? 'FLOAT' : 'DOUBLE' },
  convert: same,
});

/** Bytes that hold a number of so many digits, and its sign. */
const bytesFor = (precision: number): number => {
  let bytes = 1;
  while (2n ** BigInt(8 * bytes - 1) < 10n ** BigInt(precision)) bytes += 1;
  return bytes;
};

/** The number of units of the last digit. */
const unscaled = (text: string, scale: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
};

const physicalOf = (precision: number): Pick<SchemaElement, 'type' | 'type_length'> => {
  if (precision <= DIGITS_OF_32) return { type: 'INT32' };
  if (precision <= DIGITS_OF_64) return { type: 'INT64' };
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: bytesFor(precision) };
};

const decimal = ({ precision, scale }: DecimalType): WrittenLeaf => ({
  element: {
    ...physicalOf(precision),
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  },
  convert: (value) => unscaled(value as string, scale),
});

/** Digits of a fraction, as microseconds. */
const microsOf = (fraction = ''): bigint => BigInt(fraction.padEnd(6, '0').slice(0, 6));

const timestamp = (value: Value): bigint => {
  const [moment = '', fraction] = (value as string).slice(0, -1).split('.');
  return BigInt(Date.parse(`${moment}Z`)) * 1_000n + microsOf(fraction);
};

const timeOfDay = (value: Value): bigint => {
  const [moment = '', fraction] = (value as string).split('.');
  return BigInt(Date.parse(`1970-01-01T${moment}Z`)) * 1_000n + microsOf(fraction);
};

const text: WrittenLeaf = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  convert: same,
};

type Plain = Exclude<PlainType['kind'], never>;

const PLAIN: Readonly<Record<Plain, WrittenLeaf>> = {
  boolean: { element: { type: 'BOOLEAN' }, convert: same },
  datetime: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    convert: timestamp,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    convert: (value) => Date.parse(value as string) / MS_PER_DAY,
  },
  time: {
    element: {
      type: 'INT64',
      converted_type: 'TIME_MICROS',
      logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' },
    },
    convert: timeOfDay,
  },
  year: {
    element: {
      type: 'INT32',
      converted_type: 'INT_16',
    },
    convert: same,
  },
  uuid: {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
    convert: (value) => Buffer.from((value as string).replaceAll('-', ''), 'hex'),
  },
  ip: text,
  // The type of before would make texts of the text.
  json: {
    element: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
    convert: (value) => Buffer.from((value as JsonText).text),
  },
};

/** How scalars of a type are stored. */
export const writtenLeaf = (
  type: IntType | FloatType | DecimalType | PlainType | { readonly kind: 'string' },
): WrittenLeaf => {
  switch (type.kind) {
    case 'string':
      return text;
    case 'int':
      return int(type);
    case 'float':
      return float(type);
    case 'decimal':
      return decimal(type);
    default:
      return PLAIN[type.kind];
  }
};
