import { JsonText, type Json, type Type, writeJson } from '@penstock/schema';
import { converter, jsonConverter } from '../convert/converter';
import { jsonScalarText, scalarText } from '../convert/text-of';
import { JSON_VALUE } from '../types/plain-types';
import { shown } from './excerpt';
import type { Sink } from './expression';
import { Fault } from './fault';

const textOfJson = (json: Json): string | null => {
  if (json === null) return null;
  const text = jsonScalarText(json);
  if (text === undefined) throw new Fault('a JSON array or object has no text', writeJson(json));
  return text;
};

/** An argument "str": accepts the text of any scalar; null and JSON null are null. */
export const TEXT: Sink<string | null> = {
  expects: 'text',
  nothing: null,
  from: (type) =>
    type.kind === 'json' ? (value) => textOfJson((value as JsonText).value) : scalarText(type),
  fromJson: textOfJson,
};

/** An argument of one kind, to which values are converted. `V` must be the representation of that kind in memory. */
export const converted = <V>(to: Type): Sink<V | null> => {
  const fromJson = jsonConverter(to);
  return {
    expects: to.kind,
    nothing: null,
    from: (type) => {
      const convert = converter(type, to);
      return (
        convert &&
        ((value) => {
          const result = convert(value);
          if (result !== undefined) return result as V | null;
          throw new Fault(`no conversion to ${to.kind}`, shown(type, value));
        })
      );
    },
    fromJson: (json) => {
      const result = fromJson(json);
      if (result !== undefined) return result as V | null;
      throw new Fault(`no conversion to ${to.kind}`, writeJson(json));
    },
  };
};

/** An argument of any kind as JSON; null stays null. */
export const AS_JSON = converted<JsonText>(JSON_VALUE);
