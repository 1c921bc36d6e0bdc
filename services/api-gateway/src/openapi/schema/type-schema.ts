import { unreachable } from '@penstock/contracts';
import type {
  DecimalType,
  FloatType,
  IntType,
  ObjectType,
  StringType,
  Type,
} from '@penstock/schema';
import {
  arrayOf,
  DECIMAL,
  FLAG,
  INT64,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TIME,
} from './json-schema';

const numbers = (bounds: Readonly<Record<string, number | undefined>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(bounds).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );

const string = ({ values, pattern, maxLength }: StringType): JsonSchema => ({
  ...TEXT,
  ...(values && { enum: values }),
  ...(pattern !== undefined && { pattern }),
  ...numbers({ maxLength }),
});

/** Bounds of 64 bits are left out: tools of JSON Schema cannot represent them exactly, and the format implies them. */
const int = ({ bitSize, minimum, maximum }: IntType): JsonSchema =>
  bitSize === 64
    ? INT64
    : { type: 'integer', ...numbers({ minimum: Number(minimum), maximum: Number(maximum) }) };

const float = ({ bitSize, real, minimum, maximum }: FloatType): JsonSchema => {
  const number = {
    type: 'number',
    format: bitSize === 32 ? 'float' : 'double',
    ...numbers({ minimum, maximum }),
  };
  return real ? number : { anyOf: [number, { enum: ['NaN', 'Infinity', '-Infinity'] }] };
};

const decimal = ({ precision, scale, minimum, maximum }: DecimalType): JsonSchema => ({
  ...DECIMAL,
  ...(minimum === undefined
    ? { exclusiveMinimum: -(10 ** (precision - scale)) }
    : { minimum: Number(minimum) }),
  ...(maximum === undefined
    ? { exclusiveMaximum: 10 ** (precision - scale) }
    : { maximum: Number(maximum) }),
});

const members = ({ properties }: ObjectType, isOptional: boolean): Record<string, JsonSchema> =>
  Object.fromEntries(
    properties
      .filter(({ readOptional }) => readOptional === isOptional)
      .map(({ name, type, nullable, description }) => {
        const own = jsonSchemaOf(type);
        const schema = nullable ? orNull(own) : own;
        return [name, description === '' ? schema : { ...schema, description }];
      }),
  );

/**
 * Builds a JSON Schema for a type. It accepts every value of the type, and more where JSON Schema cannot express a
 * rule.
 */
export const jsonSchemaOf = (type: Type): JsonSchema => {
  switch (type.kind) {
    case 'string':
      return string(type);
    case 'boolean':
      return FLAG;
    case 'int':
      return int(type);
    case 'float':
      return float(type);
    case 'decimal':
      return decimal(type);
    case 'datetime':
      return TIME;
    case 'date':
      return { type: 'string', format: 'date' };
    case 'time':
      return TEXT;
    case 'year':
      return { type: 'integer', minimum: 1, maximum: 9_999 };
    case 'uuid':
      return { type: 'string', format: 'uuid' };
    case 'json':
      return {};
    case 'ip':
      return { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };
    case 'array':
      return arrayOf(jsonSchemaOf(type.elementType));
    case 'map':
      return { type: 'object', additionalProperties: jsonSchemaOf(type.elementType) };
    case 'object':
      return object(members(type, false), members(type, true));
    default:
      return unreachable(type);
  }
};
