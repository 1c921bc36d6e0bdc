import { type Json, JsonText, printType, type Type, type Value } from '@penstock/schema';
import type { Converted } from './convert/cell';
import { converter, jsonConverter } from './convert/converter';
import { excerpt, shown } from './excerpt';
import type { Sink, Take } from './expression';
import { Mismatch } from './fault';
import { limited } from './text-limit';

const mismatch = (type: Type, value: string): Mismatch =>
  new Mismatch(`does not convert to ${excerpt(printType(type))}`, value);

/** What conversions give goes on as it is, but text has a limit. */
const finish = (type: Type): ((value: Value) => Value) =>
  type.kind === 'string' ? (value) => (value === null ? null : limited(value as string)) : same;

const same = (value: Value): Value => value;

/**
 * The property that an expression is for: converts to its type and checks every constraint. Null is what
 * counts as null there.
 *
 * At work it throws Mismatch for a value that does not convert.
 */
export const destination = (type: Type): Sink<Value> => {
  const ofJson = jsonConverter(type);
  const done = finish(type);
  const accept = (value: Converted, describe: () => string): Value => {
    if (value === undefined) throw mismatch(type, describe());
    return done(value);
  };
  return {
    expects: type.kind,
    nothing: null,
    destination: type,
    from: (given: Type): Take<Value> | undefined => {
      const convert = converter(given, type);
      return convert && ((value) => accept(convert(value), () => shown(given, value)));
    },
    fromJson: (json: Json) => accept(ofJson(json), () => JsonText.of(json).text),
  };
};
