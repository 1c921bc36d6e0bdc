import type { Json, JsonText, Type } from '@penstock/schema';
import type { Sink, Take } from '../expression/expression';
import type { FunctionRow } from './function-row';

const NONE = Symbol('null');

const skipsJsonNull =
  <T>(take: Take<T>): Take<T | typeof NONE> =>
  (value) =>
    (value as JsonText).text === 'null' ? NONE : take(value);

/** Wraps a sink so that null and JSON null are distinct from all values. */
const orNone = <T>(sink: Sink<T>): Sink<T | typeof NONE> => ({
  ...sink,
  nothing: NONE,
  from: (type: Type) => {
    const take = sink.from(type);
    return take && type.kind === 'json' ? skipsJsonNull(take) : take;
  },
  fromJson: (json: Json) => (json === null ? NONE : sink.fromJson(json)),
});

/** The first argument that is neither null nor JSON null; those after it are not evaluated. */
export const COALESCE: FunctionRow = {
  arity: [1, Infinity],
  compile: (at, ...given) => ({
    at,
    types: given.flatMap(({ types }) => types),
    isPath: false,
    into: (sink) => {
      const place = orNone(sink);
      const candidates = given.map((argument) => argument.into(place));
      return (record) => {
        for (const candidate of candidates) {
          const value = candidate(record);
          if (value !== NONE) return value;
        }
        return sink.nothing;
      };
    },
  }),
};
