import {
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
  type Value,
} from '@penstock/schema';
import { createFunctionRunner } from '../create-function-runner';
import { RecordFailure } from './record-failure';
import type { FunctionLanguage } from './transformation-function';

const runner = createFunctionRunner({ timeLimitMs: 5000 });
afterAll(() => runner.close());
jest.setTimeout(60_000);

const TYPES = {
  string: { kind: 'string' },
  boolean: { kind: 'boolean' },
  int: { kind: 'int', bitSize: 32 },
  big: { kind: 'int', bitSize: 64 },
  float: { kind: 'float', bitSize: 64 },
  real: { kind: 'float', bitSize: 64, real: true },
  decimal: { kind: 'decimal', precision: 20, scale: 3 },
  datetime: { kind: 'datetime' },
  date: { kind: 'date' },
  time: { kind: 'time' },
  year: { kind: 'year' },
  uuid: { kind: 'uuid' },
  ip: { kind: 'ip' },
  json: { kind: 'json' },
  list: { kind: 'array', elementType: { kind: 'int', bitSize: 64 } },
  map: { kind: 'map', elementType: { kind: 'decimal', precision: 5, scale: 2 } },
  object: {
    kind: 'object',
    properties: [
      { name: 'when', type: { kind: 'datetime' }, readOptional: true, createRequired: true },
    ],
  },
};
type Name = keyof typeof TYPES;
const NAMES = Object.keys(TYPES);
const SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: NAMES.map((name) => ({
        name,
        type: TYPES[name as Name],
        readOptional: true,
        nullable: name === 'uuid',
      })),
    }),
  ),
);

const json = (text: string): JsonText => JsonText.trusted(text);
const record = (members: Readonly<Record<string, Value>>): RecordValue =>
  Object.assign(newRecord(), members);

const ALL = record({
  string: '\u0001é"',
  boolean: false,
  int: -5,
  big: 9_223_372_036_854_775_807n,
  float: NaN,
  real: 5,
  decimal: '12345678901234567.125',
  datetime: '2024-02-29T10:11:12.123456Z',
  date: '2024-02-29',
  time: '10:11:12.5',
  year: 2024,
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  ip: '2001:db8::1',
  json: json('{"a":[1,"x",null,true]}'),
  list: [1n, -9_223_372_036_854_775_808n],
  map: new Map([['k', '1.5']]),
  object: record({ when: '2024-01-01T00:00:00Z' }),
});

const run = async (
  language: FunctionLanguage,
  source: string,
  input: RecordValue,
  preserveJSON = false,
  purpose: 'None' | 'Create' = 'None',
) => {
  const definition = { language, source, preserveJSON, inPaths: NAMES, outPaths: NAMES };
  const schemas = { input: SCHEMA, output: SCHEMA };
  const batch = { isolation: source, definition, schemas, purpose };
  return (await runner.run(batch, [input])).records[0];
};

const IDENTITY = {
  JavaScript: 'const transform = (event) => event;',
  Python: 'def transform(event): return event',
} as const;

describe.each(['JavaScript', 'Python'] as const)('%s', (language) => {
  it('returns every kind unchanged', async () => {
    expect(await run(language, IDENTITY[language], ALL)).toEqual({
      ...ALL,
      time: '10:11:12.500',
    });
  });

  it('keeps every digit of preserved JSON', async () => {
    const input = record({ json: json('{"b":1.50,"a":12345678901234567890}') });
    expect(await run(language, IDENTITY[language], input, true)).toEqual(input);
  });

  it('keeps a null only where the property may be null', async () => {
    const source = {
      JavaScript: 'const transform = () => ({ string: null, uuid: null, json: null });',
      Python: "def transform(event): return {'string': None, 'uuid': None, 'json': None}",
    };
    expect(await run(language, source[language], record({}))).toEqual({
      uuid: null,
      json: json('null'),
    });
  });

  it('requires properties by purpose, also inside objects', async () => {
    const source = {
      JavaScript: 'const transform = () => ({ object: {} });',
      Python: "def transform(event): return {'object': {}}",
    };
    expect(await run(language, source[language], record({}))).toEqual({ object: {} });
    expect(await run(language, source[language], record({}), false, 'Create')).toMatchObject({
      step: 'OutputValidation',
      message: 'object.when: required (Create), but not given',
    });
  });
});

type Case = readonly [result: string, expected: Readonly<Record<string, Value>> | RegExp];

const JAVASCRIPT: readonly Case[] = [
  ['{ big: 5 }', { big: 5n }],
  ['{ big: "-7" }', { big: -7n }],
  ['{ big: 2 ** 53 }', /^big: /],
  ['{ int: 5n }', /^int: /],
  ['{ int: 1.5 }', /^int: /],
  ['{ real: Infinity }', /^real: /],
  ['{ float: Infinity }', { float: Infinity }],
  ['{ decimal: 0.125 }', { decimal: '0.125' }],
  ['{ decimal: "1e2" }', { decimal: '100' }],
  ['{ decimal: 0.1 + 0.2 }', /^decimal: /],
  ['{ datetime: new Date(0) }', { datetime: '1970-01-01T00:00:00Z' }],
  ['{ datetime: new Date(NaN) }', /^datetime: /],
  ['{ datetime: "2024-W09-4" }', { datetime: '2024-02-29T00:00:00Z' }],
  ['{ date: new Date(0) }', /^date: /],
  [
    '{ uuid: "{123E4567-E89B-12D3-A456-426614174000}" }',
    { uuid: '123e4567-e89b-12d3-a456-426614174000' },
  ],
  [
    '{ json: { a: 10n ** 20n, d: new Date(0), u: undefined, l: [undefined] } }',
    { json: json('{"a":100000000000000000000,"d":"1970-01-01T00:00:00Z","l":[null]}') },
  ],
  ['{ json: { f() {} } }', /^json\["f"\]: a function has no JSON/],
  ['{ map: new Map([["a", 1]]) }', { map: new Map([['a', '1']]) }],
  ['{ map: new Map([[1, 1]]) }', /^map: /],
  ['{ object: new Map() }', /^object: /],
  ['{ list: [1n, "x"] }', /^list\[1\]: /],
];

const PYTHON: readonly Case[] = [
  ["{'int': 5.0}", /^int: /],
  ["{'int': True}", /^int: /],
  ["{'big': '5'}", /^big: /],
  ["{'real': 5}", { real: 5 }],
  ["{'real': float('inf')}", /^real: /],
  ["{'decimal': decimal.Decimal('1.50')}", { decimal: '1.5' }],
  ["{'decimal': 3}", { decimal: '3' }],
  ["{'decimal': 0.125}", { decimal: '0.125' }],
  ["{'decimal': decimal.Decimal('NaN')}", /^decimal: /],
  [
    "{'datetime': datetime.datetime(2024, 1, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))}",
    { datetime: '2024-01-01T01:00:00Z' },
  ],
  ["{'datetime': datetime.datetime(2024, 1, 1)}", { datetime: '2024-01-01T00:00:00Z' }],
  ["{'date': datetime.datetime(2024, 1, 1)}", /^date: /],
  ["{'time': datetime.time(1, 2, 3, tzinfo=datetime.timezone.utc)}", /^time: /],
  ["{'ip': ipaddress.ip_address('2001:DB8::1')}", { ip: '2001:db8::1' }],
  ["{'list': (1, 2)}", { list: [1n, 2n] }],
  [
    "{'json': [10 ** 20, decimal.Decimal('1.5'), (1,), None]}",
    { json: json('[100000000000000000000,1.5,[1],null]') },
  ],
  ["{'json': {1, 2}}", /^json: a value of type set has no JSON/],
  ["{'string': b'x'}", /^string: /],
];

const check = (result: unknown, expected: Case[1]): void => {
  if (!(expected instanceof RegExp)) return expect(result).toEqual(expected);
  expect(result).toBeInstanceOf(RecordFailure);
  expect(result).toMatchObject({
    step: 'OutputValidation',
    message: expect.stringMatching(expected) as string,
  });
};

it.each(JAVASCRIPT)('JavaScript %s', async (result, expected) => {
  check(await run('JavaScript', `const transform = () => (${result});`, record({})), expected);
});

it.each(PYTHON)('Python %s', async (result, expected) => {
  const source = `import datetime, decimal, ipaddress\ndef transform(event): return ${result}`;
  check(await run('Python', source, record({})), expected);
});

it.each<[FunctionLanguage, string]>([
  ['JavaScript', 'const transform = (event) => ({ n: Object.keys(event).length });'],
  ['Python', 'def transform(event):\n  return {"n": len(event)}'],
])('%s: a property that is absent is absent, whatever its name', async (language, source) => {
  const properties = [
    { name: 'constructor', type: TYPES.big, readOptional: true },
    { name: 'valueOf', type: TYPES.float, readOptional: true },
    { name: 'toString', type: TYPES.object, readOptional: true },
    { name: 'string', type: TYPES.string },
  ];
  const schemaOf = (members: readonly object[]) =>
    parseSchema(parseJson(JSON.stringify({ kind: 'object', properties: members })));
  const batch = {
    isolation: `names ${language}`,
    definition: {
      ...{ language, source, preserveJSON: false, outPaths: ['n'] },
      inPaths: properties.map(({ name }) => name),
    },
    schemas: {
      input: schemaOf(properties),
      output: schemaOf([{ name: 'n', type: TYPES.int, createRequired: true }]),
    },
    purpose: 'Create',
  } as const;
  const { records } = await runner.run(batch, [record({ string: 'x' })]);
  expect(records).toEqual([record({ n: 1 })]);
});
