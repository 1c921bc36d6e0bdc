import { type Json, JsonText, printType, type Type, type Value } from '@penstock/schema';
import { converter, jsonConverter } from '../convert/converter';
import { excerpt, shown } from './excerpt';
import type { Sink, Take } from './expression';
import { Mismatch } from './fault';
import { limited } from './text-limit';

const mismatch = (type: Type, value: string): Mismatch =>
  new Mismatch(`does not convert to ${excerpt(printType(type))}`, value);

/** Applies the limit of texts; other values pass unchanged. */
const finish = (type: Type): ((value: Value) => Value) =>
  type.kind === 'string' ? (value) => (value === null ? null : limited(value as string)) : same;

const same = (value: Value): Value => value;

/**
 * The destination property of an expression: converts to its type and checks every constraint. Values that count as
 * null become null.
 *
 * During evaluation it throws Mismatch for a value that does not convert.
 */
export const destination = (type: Type): Sink<Value> => {
  const ofJson = jsonConverter(type);
  const done = finish(type);
  return {
    expects: type.kind,
    nothing: null,
    destination: type,
    from: (given: Type): Take<Value> | undefined => {
      const convert = converter(given, type);
      if (!convert) return undefined;
      return (value) => {
        const converted = convert(value);
        if (converted === undefined) throw mismatch(type, shown(given, value));
        return done(converted);
      };
    },
    fromJson: (json: Json) => {
      const converted = ofJson(json);
      if (converted === undefined) throw mismatch(type, JsonText.of(json).text);
      return done(converted);
    },
  };
};
