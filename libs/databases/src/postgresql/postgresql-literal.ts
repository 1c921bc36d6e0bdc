import { floatText, textOf, type Type, type Value } from '@penstock/schema';
import { escapeLiteral } from 'pg';

/** PostgreSQL keeps microseconds. */
const FINER = /\.\d{6}(?!000)\d{3}/;

const quoted = (text: string): string => {
  if (text.includes('\0')) throw new RangeError('PostgreSQL has no text with NUL');
  return escapeLiteral(text).trimStart();
};

const inMicroseconds = (text: string): string => {
  if (FINER.test(text)) throw new RangeError('PostgreSQL has no time that is finer than 1 µs');
  return text;
};

const castOf = (type: Type): string => {
  switch (type.kind) {
    case 'string':
      return 'text';
    case 'int': {
      const bits = type.bitSize + (type.unsigned ? 1 : 0);
      if (bits <= 32) return 'integer';
      return bits <= 64 ? 'bigint' : 'numeric';
    }
    case 'float':
      return type.bitSize === 32 ? 'real' : 'double precision';
    case 'decimal':
      return 'numeric';
    case 'year':
      return 'integer';
    case 'datetime':
      return 'timestamptz';
    case 'ip':
      return 'inet';
    case 'array':
      return `${castOf(type.elementType)}[]`;
    case 'map':
    case 'object':
      throw new RangeError(`PostgreSQL has no literal for the kind ${type.kind}`);
    default:
      return type.kind;
  }
};

const scalar = (type: Type, value: Value): string => {
  if (type.kind === 'float') return quoted(floatText(value as number, type.bitSize));
  return quoted(inMicrosecondsOf(type, textOf(type, value)));
};

const inMicrosecondsOf = ({ kind }: Type, text: string): string =>
  kind === 'datetime' || kind === 'time' ? inMicroseconds(text) : text;

/**
 * A value as a literal of PostgreSQL, with its type. Nothing that the value holds can end the literal.
 *
 * @param value of the type; not checked.
 * @throws RangeError when PostgreSQL cannot hold it.
 */
export const postgresqlLiteral = (type: Type, value: Value): string => {
  if (value === null) return 'NULL';
  const cast = castOf(type);
  if (type.kind !== 'array') return `${scalar(type, value)}::${cast}`;
  if (type.elementType.kind === 'array')
    throw new RangeError('PostgreSQL has no literal for arrays of arrays');
  const elements = (value as readonly Value[]).map((each) => scalar(type.elementType, each));
  return `ARRAY[${elements.join(', ')}]::${cast}`;
};
