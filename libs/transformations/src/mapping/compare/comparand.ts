import {
  type Json,
  JsonNumber,
  JsonSyntaxError,
  JsonText,
  type Type,
  type Value,
} from '@penstock/schema';
import { jsonTextOf } from '../convert/json-text-of';
import type { Sink, Take } from '../expression/expression';
import { Fault } from '../expression/fault';

/** Category of a value that determines how it is compared. Years count as ints, maps as objects. */
export type Category =
  | 'string'
  | 'boolean'
  | 'int8'
  | 'int'
  | 'float32'
  | 'float64'
  | 'decimal'
  | 'datetime'
  | 'date'
  | 'time'
  | 'uuid'
  | 'ip'
  | 'json'
  | 'array'
  | 'object';

/** One side of a comparison: json, arrays and objects as parsed JSON, scalars as they are in memory. */
export interface Comparand {
  readonly category: Category;
  readonly value: Value | Json | undefined;
}

export const categoryOf = (type: Type): Category => {
  switch (type.kind) {
    case 'int':
      return type.bitSize === 8 ? 'int8' : 'int';
    case 'year':
      return 'int';
    case 'float':
      return type.bitSize === 32 ? 'float32' : 'float64';
    case 'map':
      return 'object';
    default:
      return type.kind;
  }
};

const ofJson = (json: Json): Comparand => ({ category: 'json', value: json });

const parsed = (text: string | undefined): Json | undefined => {
  if (text === undefined) return undefined;
  try {
    return JsonText.trusted(text).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Fault(`cannot be compared: ${error.message}`, text);
  }
};

const from = (type: Type): Take<Comparand> => {
  const category = categoryOf(type);
  if (category === 'json') return (value) => ofJson((value as JsonText).value);
  if (category !== 'array' && category !== 'object') return (value) => ({ category, value });
  const textOf = jsonTextOf(type);
  return (value) => ({ category, value: parsed(textOf(value)) });
};

/** An argument of `eq` and `ne`. */
export const COMPARAND: Sink<Comparand | null> = {
  expects: 'any value',
  nothing: null,
  from,
  fromJson: ofJson,
};

/** Converts JSON to a comparand for the comparison with a scalar; undefined for an array or object. */
export const scalarOf = (json: Json): Comparand | undefined => {
  if (typeof json === 'string') return { category: 'string', value: json };
  if (typeof json === 'boolean') return { category: 'boolean', value: json };
  return json instanceof JsonNumber ? { category: 'decimal', value: json.text } : undefined;
};
