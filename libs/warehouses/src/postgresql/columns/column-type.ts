import type { ArrayType, IntType, Type } from '@penstock/schema';

/** The longest varchar. Source: PostgreSQL, "Character Types". */
const MAX_VARCHAR = 10_485_760;

const PLAIN = {
  boolean: 'boolean',
  datetime: 'timestamp with time zone',
  date: 'date',
  time: 'time without time zone',
  year: 'smallint',
  uuid: 'uuid',
  ip: 'inet',
  json: 'jsonb',
  map: 'jsonb',
} as const;

const intType = ({ bitSize, unsigned }: IntType): string => {
  if (bitSize === 8 || (bitSize === 16 && !unsigned)) return 'smallint';
  if (bitSize === 16 || bitSize === 24 || (bitSize === 32 && !unsigned)) return 'integer';
  return bitSize === 32 || !unsigned ? 'bigint' : 'numeric(20,0)';
};

const arrayType = ({ elementType }: ArrayType): string =>
  elementType.kind === 'json' ? 'jsonb' : `${columnType(elementType)}[]`;

/**
 * The type of the column that holds values of a type, in the words of PostgreSQL's `format_type`.
 *
 * @throws TypeError for an object, which is a column for each of its leaves.
 */
export const columnType = (type: Type): string => {
  switch (type.kind) {
    case 'string':
      return type.maxLength === undefined || type.maxLength > MAX_VARCHAR
        ? 'text'
        : `character varying(${type.maxLength})`;
    case 'int':
      return intType(type);
    case 'float':
      return type.bitSize === 32 ? 'real' : 'double precision';
    case 'decimal':
      return `numeric(${type.precision},${type.scale})`;
    case 'array':
      return arrayType(type);
    case 'object':
      throw new TypeError('an object has no column of its own');
    default:
      return PLAIN[type.kind];
  }
};
