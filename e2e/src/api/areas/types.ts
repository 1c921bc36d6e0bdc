import { json, malformed, refused } from '../refusal';
import { refuses, type Run, type Table } from '../table';
import type { Json } from '../world';

/** The same for a type whose text JavaScript does not produce, such as `32.0`. */
const notTakenText = (path: string, type: string): Run =>
  refuses(
    `GET /v1/connections/{application}/users?schema=${encodeURIComponent(
      `{"kind":"object","properties":[{"name":"nothing","type":${type}}]}`,
    )}`,
    {},
    malformed(`/schema/properties/0/type${path}`),
  );

/** A type nested in `others` types, the schema included. */
const inside = (others: number): Json =>
  others === 1 ? { kind: 'boolean' } : { kind: 'map', elementType: inside(others - 1) };

/**
 * A call that validates a schema with the type: its form first (400), then whether it fits (422). A property that never
 * fits follows the type.
 */
const ask = (type: object, members: object): [call: string, request: ReturnType<typeof json>] => [
  `GET /v1/connections/{application}/users?schema=${encodeURIComponent(
    JSON.stringify({ kind: 'object', properties: [{ name: 'nothing', type, ...members }] }),
  )}`,
  {},
];

const accepted = (type: object, members: object = {}): Run =>
  refuses(
    ...ask(type, members),
    refused(
      'SchemaNotAligned',
      "schema is not aligned with the application's source schema",
      '/schema/properties/0',
    ),
  );

const notTaken = (path: string, type: object, members: object = {}): Run =>
  refuses(...ask(type, members), malformed(`/schema/properties/0${path}`));

const cases = (
  name: (value: unknown) => string,
  values: readonly unknown[],
  make: (value: unknown) => Run,
): Record<string, Run> => Object.fromEntries(values.map((value) => [name(value), make(value)]));

const jsonText = (value: unknown): string => JSON.stringify(value);

const int = (members: Json): Json => ({ kind: 'int', bitSize: 32, ...members });
const float = (members: Json): Json => ({ kind: 'float', bitSize: 64, ...members });
const decimal = (precision: number, scale: number, members: Json = {}): Json => ({
  kind: 'decimal',
  precision,
  scale,
  ...members,
});
const STRING = { kind: 'string' };

export const TYPES: Table = {
  'every type has a kind, one of fifteen': {
    'no kind': notTaken('/type/kind', {}),
    'another kind': notTaken('/type/kind', { kind: 'text' }),
    ...cases(
      (kind) => String(kind),
      ['string', 'boolean', 'datetime', 'date', 'time', 'year', 'uuid', 'json', 'ip'],
      (kind) => accepted({ kind }),
    ),
    'in other letters': notTaken('/type/kind', { kind: 'String' }),
    null: notTaken('/type', null as never),
    'an unknown member': notTaken('/type/size', { ...STRING, size: 5 }),
  },
  'a type has no keys of another kind': {
    ...Object.fromEntries(
      ['boolean', 'datetime', 'date', 'time', 'year', 'uuid', 'json', 'ip'].map((kind) => [
        kind,
        notTaken('/type/bitSize', { kind, bitSize: 32 }),
      ]),
    ),
    string: notTaken('/type/minimum', { ...STRING, minimum: 1 }),
    int: notTaken('/type/real', int({ real: false })),
    float: notTaken('/type/unsigned', float({ unsigned: false })),
    decimal: notTaken('/type/bitSize', decimal(3, 2, { bitSize: 32 })),
    array: notTaken('/type/maxLength', { kind: 'array', elementType: STRING, maxLength: 5 }),
    map: notTaken('/type/keyType', { kind: 'map', elementType: STRING, keyType: STRING }),
  },
  'types nest 32 deep': {
    '32': accepted(inside(32)),
    '33': notTaken(`/type${'/elementType'.repeat(32)}`, inside(33)),
  },
  'string: values': {
    'at least one': accepted({ ...STRING, values: ['a'] }),
    'the empty string': accepted({ ...STRING, values: [''] }),
    none: notTaken('/type/values', { ...STRING, values: [] }),
    NUL: notTaken('/type/values/0', { ...STRING, values: ['a\0'] }),
    'the same twice': accepted({ ...STRING, values: ['a', 'a'] }),
    'a number': notTaken('/type/values/0', { ...STRING, values: [1] }),
    'with lengths': accepted({ ...STRING, values: ['a'], maxLength: 5, maxByteLength: 5 }),
    'with a pattern': notTaken('/type/pattern', { ...STRING, values: ['a'], pattern: 'a' }),
  },
  'string: pattern in the syntax of Go': {
    'one of them': accepted({ ...STRING, pattern: '^[a-z]+$' }),
    'none of them': notTaken('/type/pattern', { ...STRING, pattern: '(' }),
    'a look-ahead': notTaken('/type/pattern', { ...STRING, pattern: '(?=a)' }),
    'a look-behind': notTaken('/type/pattern', { ...STRING, pattern: '(?<=a)b' }),
    'a back-reference': notTaken('/type/pattern', { ...STRING, pattern: '(a)\\1' }),
    'a named group as in Go': accepted({ ...STRING, pattern: '(?P<year>\\d{4})' }),
    'flags as in Go': accepted({ ...STRING, pattern: '(?i)[[:alpha:]]\\pL' }),
    NUL: notTaken('/type/pattern', { ...STRING, pattern: 'a\0' }),
  },
  'string: maxLength and maxByteLength, also together': {
    together: accepted({ ...STRING, maxLength: 5, maxByteLength: 20 }),
    'maxLength 1': accepted({ ...STRING, maxLength: 1 }),
    'maxLength 0': notTaken('/type/maxLength', { ...STRING, maxLength: 0 }),
    'maxByteLength 1': accepted({ ...STRING, maxByteLength: 1 }),
    'maxByteLength 0': notTaken('/type/maxByteLength', { ...STRING, maxByteLength: 0 }),
    'a text': notTaken('/type/maxLength', { ...STRING, maxLength: '5' }),
    ...Object.fromEntries(
      ['maxLength', 'maxByteLength'].flatMap((key): [string, Run][] => [
        [`${key} 4294967295`, accepted({ ...STRING, [key]: 4_294_967_295 })],
        [`${key} 4294967296`, notTaken(`/type/${key}`, { ...STRING, [key]: 4_294_967_296 })],
        [`${key} 5.0`, notTakenText(`/${key}`, `{"kind":"string","${key}":5.0}`)],
      ]),
    ),
  },
  'int: bitSize 8, 16, 24, 32 or 64': {
    ...cases(jsonText, [8, 16, 24, 32, 64], (bitSize) => accepted({ kind: 'int', bitSize })),
    ...cases(jsonText, [0, 7, 12, 40, 128], (bitSize) =>
      notTaken('/type/bitSize', { kind: 'int', bitSize }),
    ),
    missing: notTaken('/type/bitSize', { kind: 'int' }),
    '32.0': notTakenText('/bitSize', '{"kind":"int","bitSize":32.0}'),
    '"32"': notTaken('/type/bitSize', { kind: 'int', bitSize: '32' }),
  },
  'int: minimum, maximum and unsigned': {
    'minimum and maximum': accepted(int({ minimum: -5, maximum: 5 })),
    'the wrong way round': notTaken('/type/maximum', int({ minimum: 5, maximum: -5 })),
    unsigned: accepted(int({ unsigned: true })),
    'unsigned below zero': notTaken('/type/minimum', int({ unsigned: true, minimum: -1 })),
    'beyond the size': notTaken('/type/maximum', int({ bitSize: 8, maximum: 128 })),
    'at the size': accepted(int({ bitSize: 8, maximum: 127 })),
    'below the size': notTaken('/type/minimum', int({ bitSize: 8, minimum: -129 })),
    'at the size below': accepted(int({ bitSize: 8, minimum: -128 })),
    'unsigned beyond the size': notTaken(
      '/type/maximum',
      int({ bitSize: 8, unsigned: true, maximum: 256 }),
    ),
    'unsigned at the size': accepted(int({ bitSize: 8, unsigned: true, maximum: 255 })),
    'a fraction': notTaken('/type/minimum', int({ minimum: 0.5 })),
    'unsigned that is no boolean': notTaken('/type/unsigned', int({ unsigned: 1 })),
  },
  'float: bitSize 32 or 64': {
    ...cases(jsonText, [32, 64], (bitSize) => accepted({ kind: 'float', bitSize })),
    ...cases(jsonText, [16, 128], (bitSize) =>
      notTaken('/type/bitSize', { kind: 'float', bitSize }),
    ),
    missing: notTaken('/type/bitSize', { kind: 'float' }),
  },
  'float: minimum, maximum and real': {
    'minimum and maximum': accepted(float({ minimum: 0.5, maximum: 1.5 })),
    'the wrong way round': notTaken('/type/maximum', float({ minimum: 1.5, maximum: 0.5 })),
    real: accepted(float({ real: true })),
    'real that is no boolean': notTaken('/type/real', float({ real: 1 })),
    'a bound beyond the size': notTaken('/type/maximum', float({ bitSize: 32, maximum: 1e39 })),
    'a bound that is a text': notTaken('/type/maximum', float({ maximum: 'Infinity' })),
  },
  'decimal: precision 1 to 76, scale 0 to 37 and not above it': {
    '1, 0': accepted(decimal(1, 0)),
    '76, 37': accepted(decimal(76, 37)),
    '37, 37': accepted(decimal(37, 37)),
    '0, 0': notTaken('/type/precision', decimal(0, 0)),
    '77, 0': notTaken('/type/precision', decimal(77, 0)),
    '76, 38': notTaken('/type/scale', decimal(76, 38)),
    '5, 6': notTaken('/type/scale', decimal(5, 6)),
    '5, -1': notTaken('/type/scale', decimal(5, -1)),
    'no scale': accepted({ kind: 'decimal', precision: 5 }),
    'no precision': notTaken('/type/precision', { kind: 'decimal', scale: 2 }),
  },
  'decimal: minimum and maximum': {
    'minimum and maximum': accepted(decimal(3, 2, { minimum: 0.01, maximum: 9.99 })),
    'the wrong way round': notTaken('/type/maximum', decimal(3, 2, { minimum: 2, maximum: 1 })),
    'more digits than the scale': notTaken('/type/minimum', decimal(3, 2, { minimum: 0.001 })),
    'more digits than the precision': notTaken('/type/maximum', decimal(3, 2, { maximum: 10 })),
  },
  'array: elementType, minElements, maxElements, uniqueElements': {
    'all of them': accepted({
      kind: 'array',
      elementType: STRING,
      minElements: 0,
      maxElements: 5,
      uniqueElements: true,
    }),
    'no elementType': notTaken('/type/elementType', { kind: 'array' }),
    'maxElements 0': accepted({ kind: 'array', elementType: STRING, maxElements: 0 }),
    ...Object.fromEntries(
      ['minElements', 'maxElements'].flatMap((key): [string, Run][] =>
        ([-1, 2_147_483_648, 0.5] as const)
          .map((size): [string, Run] => [
            `${key} ${String(size)}`,
            notTaken(`/type/${key}`, { kind: 'array', elementType: STRING, [key]: size }),
          ])
          .concat([
            [
              `${key} 2147483647`,
              accepted({ kind: 'array', elementType: STRING, [key]: 2_147_483_647 }),
            ],
          ]),
      ),
    ),
    'unique that is no boolean': notTaken('/type/uniqueElements', {
      kind: 'array',
      elementType: STRING,
      uniqueElements: 1,
    }),
    'not unique json': notTaken('/type/uniqueElements', {
      kind: 'array',
      elementType: { kind: 'json' },
      uniqueElements: false,
    }),
    'the wrong way round': notTaken('/type/maxElements', {
      kind: 'array',
      elementType: STRING,
      minElements: 5,
      maxElements: 1,
    }),
    ...Object.fromEntries(
      [
        { kind: 'json' },
        { kind: 'array', elementType: STRING },
        { kind: 'map', elementType: STRING },
        { kind: 'object', properties: [{ name: 'a', type: STRING }] },
      ].map((elementType) => [
        `unique ${elementType.kind}`,
        notTaken('/type/uniqueElements', { kind: 'array', elementType, uniqueElements: true }),
      ]),
    ),
  },
  'object: properties': {
    one: accepted({ kind: 'object', properties: [{ name: 'a', type: STRING }] }),
    none: notTaken('/type/properties', { kind: 'object', properties: [] }),
    missing: notTaken('/type/properties', { kind: 'object' }),
    'the same in other letters': accepted({
      kind: 'object',
      properties: [
        { name: 'a', type: STRING },
        { name: 'A', type: STRING },
      ],
    }),
    'the same twice': notTaken('/type/properties/1/name', {
      kind: 'object',
      properties: [
        { name: 'a', type: STRING },
        { name: 'a', type: STRING },
      ],
    }),
  },
  'map: elementType': {
    one: accepted({ kind: 'map', elementType: STRING }),
    none: notTaken('/type/elementType', { kind: 'map' }),
  },
  'property: name of letters, digits and _, no digit first': {
    ...Object.fromEntries(['a', '_', 'A1', '_1'].map((name) => [name, accepted(STRING, { name })])),
    ...Object.fromEntries(
      ['', '1a', 'a-b', 'a.b', 'é', 'a b'].map((name) => [
        JSON.stringify(name),
        notTaken('/name', STRING, { name }),
      ]),
    ),
    missing: notTaken('/name', STRING, { name: undefined }),
  },
  'property: type is required': {
    missing: notTaken('/type', STRING, { type: undefined }),
    'a text': notTaken('/type', STRING, { type: 'string' }),
  },
  'property: no other members': notTaken('/required', STRING, { required: true }),
  'property: flags are booleans': Object.fromEntries(
    ['createRequired', 'updateRequired', 'readOptional', 'nullable'].flatMap(
      (flag): [string, Run][] => [
        [`${flag} true`, accepted(STRING, { [flag]: true })],
        [`${flag} false`, accepted(STRING, { [flag]: false })],
        [`${flag} 1`, notTaken(`/${flag}`, STRING, { [flag]: 1 })],
        [`${flag} null`, notTaken(`/${flag}`, STRING, { [flag]: null })],
      ],
    ),
  ),
  'property: prefilled and description, texts without NUL': Object.fromEntries(
    ['prefilled', 'description'].flatMap((member): [string, Run][] => [
      [`${member} empty`, accepted(STRING, { [member]: '' })],
      [`${member} with NUL`, notTaken(`/${member}`, STRING, { [member]: 'a\0' })],
      [`${member} a number`, notTaken(`/${member}`, STRING, { [member]: 1 })],
      [`${member} null`, notTaken(`/${member}`, STRING, { [member]: null })],
    ]),
  ),
  'charLen is another word for maxLength': {
    alone: accepted({ ...STRING, charLen: 5 }),
    '0': notTaken('/type/charLen', { ...STRING, charLen: 0 }),
    'beside an equal maxLength': accepted({ ...STRING, charLen: 5, maxLength: 5 }),
    'beside another maxLength': notTaken('/type/charLen', { ...STRING, charLen: 5, maxLength: 6 }),
    'written beside maxLength in User schema': async (world) => {
      const { text } = await world.ask('GET /v1/connections/{application}/schemas/user');
      expect(text).toContain('"maxLength":254,"charLen":254');
      const { text: written } = await world.ask('GET /v1/profiles/schema');
      expect(written).not.toContain('charLen');
    },
  },
};
