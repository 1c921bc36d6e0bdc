import { floatText, JsonNumber, type Json, type Type, type Value } from '@penstock/schema';

/** Returns the text of a JSON scalar, a number with its own digits; undefined for an array or object. */
export const jsonScalarText = (json: NonNullable<Json>): string | undefined => {
  if (typeof json === 'string') return json;
  if (json instanceof JsonNumber) return json.text;
  return typeof json === 'boolean' ? String(json) : undefined;
};

const same = (value: Value): string => value as string;
const written = (value: Value): string => (value as boolean | number | bigint).toString();

/** Returns the text conversion of a scalar type; undefined for json, array, object and map. */
export const scalarText = (type: Type): ((value: Value) => string) | undefined => {
  switch (type.kind) {
    case 'json':
    case 'array':
    case 'object':
    case 'map':
      return undefined;
    case 'float':
      return (value) => floatText(value as number, type.bitSize);
    case 'boolean':
    case 'int':
    case 'year':
      return written;
    default:
      return same;
  }
};
