import {
  codePointLength,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonText,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import { jsonScalarText, scalarText } from '../convert/text-of';
import type { Sink, Take } from '../expression/expression';
import { typed } from '../expression/typed-expression';
import { INT32 } from '../types/plain-types';
import type { FunctionRow } from './function-row';

const ofJson = (json: Json): number => {
  if (json === null) return 0;
  if (isJsonArray(json)) return json.length;
  return isJsonObject(json) ? json.size : codePointLength(jsonScalarText(json) ?? '');
};

const ofRecord = (record: RecordValue): number =>
  Object.values(record).filter((member) => member !== undefined).length;

const from = (type: Type): Take<number> => {
  const textOf = scalarText(type);
  if (textOf) return (value) => codePointLength(textOf(value));
  switch (type.kind) {
    case 'array':
      return (value) => (value as readonly Value[]).length;
    case 'map':
      return (value) => (value as ReadonlyMap<string, Value>).size;
    case 'object':
      return (value) => ofRecord(value as RecordValue);
    default:
      return (value) => ofJson((value as JsonText).value);
  }
};

/** Number of entries of arrays, objects and maps, of code points of other values' texts; 0 for null. */
const LENGTH: Sink<number> = { expects: 'any value', nothing: 0, from, fromJson: ofJson };

export const LEN: FunctionRow = {
  arity: [1, 1],
  compile: (at, argument) => typed(at, INT32, argument.into(LENGTH)),
};
