import {
  Invalid,
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  parseType,
  type RecordValue,
  type Schema,
  textOf,
  type Type,
  type Value,
} from '@penstock/schema';
import { compileMapping } from './compile-mapping';
import { OutputValidationError, TransformationError } from './errors';

/** Parses a type. */
export const typeOf = (notation: object): Type => parseType(parseJson(JSON.stringify(notation)));

/** Builds a schema from its properties. */
export const schemaOf = (...properties: object[]): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

/** Builds a record from its members. */
export const recordOf = (members: Readonly<Record<string, Value>>): RecordValue =>
  Object.assign(newRecord(), members);

export const json = (text: string): JsonText => JsonText.of(parseJson(text));

const int = (bitSize: number): object => ({ kind: 'int', bitSize });
const person = {
  kind: 'object',
  properties: [
    { name: 'name', type: { kind: 'string' } },
    { name: 'age', type: int(32), nullable: true },
  ],
};

/** A schema with a property of every kind; in `RECORD`, `sn` is null and `se` empty. */
export const INPUT = schemaOf(
  { name: 's', type: { kind: 'string' } },
  { name: 'sn', type: { kind: 'string' }, nullable: true },
  { name: 'se', type: { kind: 'string' } },
  { name: 'b', type: { kind: 'boolean' } },
  { name: 'i8', type: int(8) },
  { name: 'i', type: int(32) },
  { name: 'i64', type: int(64) },
  { name: 'f', type: { kind: 'float', bitSize: 64 } },
  { name: 'f32', type: { kind: 'float', bitSize: 32 } },
  { name: 'nan', type: { kind: 'float', bitSize: 64 } },
  { name: 'inf', type: { kind: 'float', bitSize: 64 } },
  { name: 'd', type: { kind: 'decimal', precision: 10, scale: 2 } },
  { name: 'dt', type: { kind: 'datetime' } },
  { name: 'midnight', type: { kind: 'datetime' } },
  { name: 'da', type: { kind: 'date' } },
  { name: 'ti', type: { kind: 'time' } },
  { name: 'y', type: { kind: 'year' } },
  { name: 'id', type: { kind: 'uuid' } },
  { name: 'ip', type: { kind: 'ip' } },
  { name: 'j', type: { kind: 'json' } },
  { name: 'js', type: { kind: 'json' } },
  { name: 'jn', type: { kind: 'json' } },
  { name: 'arr', type: { kind: 'array', elementType: { kind: 'string' } } },
  { name: 'floats', type: { kind: 'array', elementType: { kind: 'float', bitSize: 64 } } },
  { name: 'o', type: person },
  { name: 'm', type: { kind: 'map', elementType: int(32) } },
  { name: 'people', type: { kind: 'map', elementType: person } },
);

const ada = recordOf({ name: 'Ada', age: null });

export const RECORD = recordOf({
  s: 'Hello World',
  sn: null,
  se: '',
  b: true,
  i8: 1,
  i: 42,
  i64: 9007199254740993n,
  f: 2.5,
  f32: Math.fround(0.1),
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  d: '12.5',
  dt: '2024-02-29T10:11:12.500Z',
  midnight: '2024-02-29T00:00:00Z',
  da: '2024-02-29',
  ti: '10:11:12.250',
  y: 2024,
  id: '550e8400-e29b-41d4-a716-446655440000',
  ip: '1.2.3.4',
  j: json('{"a":{"b":1.50},"n":null,"list":[1,"x",null],"text":"t"}'),
  js: json('"text"'),
  jn: json('null'),
  arr: ['x', 'y'],
  floats: [1, Number.NaN],
  o: ada,
  m: new Map([['k', 1]]),
  people: new Map([['ada', ada]]),
});

/** Builds a schema with one property, `y`. */
export const outputOf = (type: object, flags: object = {}): Schema =>
  schemaOf({ name: 'y', type, ...flags });

/**
 * Evaluates an expression for the record. Returns the text of the value, `null` for null, `absent`; or the step at
 * which it fails.
 */
export const trial = (expression: string, type: object = { kind: 'string' }): string => {
  const output = outputOf(type, { nullable: true });
  try {
    const mapping = compileMapping(new Map([['y', expression]]), INPUT, output);
    const value = mapping.apply(RECORD, 'None')['y'];
    if (value === undefined) return 'absent';
    return value === null ? 'null' : textOf(typeOf(type), value);
  } catch (error) {
    if (error instanceof Invalid) return 'compile';
    if (error instanceof TransformationError) return 'transformation';
    if (error instanceof OutputValidationError) return 'validation';
    throw error;
  }
};
