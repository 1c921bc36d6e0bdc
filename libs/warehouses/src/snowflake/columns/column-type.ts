import type { IntType, Type } from '@penstock/schema';

/** The longest text of a column whose length is declared. Source: Snowflake, "String & binary data types". */
const MAX_VARCHAR = 16_777_216;

const PLAIN = {
  boolean: 'BOOLEAN',
  float: 'FLOAT',
  datetime: 'TIMESTAMP_TZ(9)',
  date: 'DATE',
  time: 'TIME(9)',
  year: 'NUMBER(4,0)',
  uuid: 'VARCHAR(36)',
  ip: 'VARCHAR(45)',
  json: 'VARIANT',
  map: 'VARIANT',
  array: 'ARRAY',
} as const;

/** Digits of integers by their bits. */
const SIGNED = { 8: 3, 16: 5, 24: 7, 32: 10, 64: 19 } as const;
const UNSIGNED = { 8: 3, 16: 5, 24: 8, 32: 10, 64: 20 } as const;

const intType = ({ bitSize, unsigned }: IntType): string =>
  `NUMBER(${String((unsigned ? UNSIGNED : SIGNED)[bitSize])},0)`;

/**
 * The type of the column that holds values of a type, in the words of `DESCRIBE TABLE`. Whether Snowflake can hold a decimal of so
 * many digits is a matter of the change of the schema.
 *
 * @throws TypeError for an object, which is a column for each of its leaves.
 */
export const columnType = (type: Type): string => {
  switch (type.kind) {
    case 'string':
      return `VARCHAR(${String(Math.min(type.maxLength ?? MAX_VARCHAR, MAX_VARCHAR))})`;
    case 'int':
      return intType(type);
    case 'decimal':
      return `NUMBER(${String(type.precision)},${String(type.scale)})`;
    case 'object':
      throw new TypeError('an object has no column of its own');
    default:
      return PLAIN[type.kind];
  }
};
