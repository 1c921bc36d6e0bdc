import { newRecord, type Type, type Value } from '@penstock/schema';
import { lineOf, outOfRange } from './insert-text';

it.each<[type: string, good: string[], bad: string[]]>([
  ['Date', ['1970-01-01', '2149-06-06'], ['1969-12-31', '2149-06-07']],
  ['Nullable(Date32)', ['1900-01-01', '2299-12-31'], ['1899-12-31', '2300-01-01']],
  [
    "Nullable(DateTime('UTC'))",
    ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15.9Z'],
    ['1969-12-31T23:59:59.9Z', '2106-02-07T06:28:16Z'],
  ],
  [
    "DateTime64(6, 'Europe/Rome')",
    ['1900-01-01T00:00:00Z', '2299-12-31T23:59:59.999Z'],
    ['1899-12-31T23:59:59Z', '2300-01-01T00:00:00Z'],
  ],
  [
    "DateTime64(9, 'UTC')",
    ['1900-01-01T00:00:00Z', '2262-04-11T23:47:15.999Z'],
    ['1899-12-31T23:59:59Z', '2262-04-11T23:47:16Z'],
  ],
  ['LowCardinality(Nullable(Date))', ['1970-01-01'], ['1969-12-31']],
  ['String', ['', '0001-01-01'], []],
])('%s has its times, and no others', (type, good, bad) => {
  expect(good.map((each) => outOfRange(type, each))).toEqual(good.map(() => undefined));
  expect(bad.map((each) => outOfRange(type, each) !== undefined)).toEqual(bad.map(() => true));
});

const OLD = '1969-12-31';
const DAY = '1970-01-01';

it.each<[type: string, good: Value, bad: Value]>([
  ['Array(Date)', [DAY], [DAY, OLD]],
  ['Array(Nullable(Date))', [], [OLD]],
  [
    'Map(String, Date)',
    new Map([['a', DAY]]),
    new Map([
      ['a', DAY],
      ['b', OLD],
    ]),
  ],
  [
    "Map(LowCardinality(String), Array(DateTime64(3, 'UTC')))",
    new Map([['a', ['1900-01-01T00:00:00Z']]]),
    new Map([['a', ['1899-12-31T23:59:59Z']]]),
  ],
  ['Array(Array(Date))', [[DAY], []], [[DAY], [OLD]]],
])('%s has such times in it, and no others', (type, good, bad) => {
  expect(outOfRange(type, good)).toBeUndefined();
  expect(outOfRange(type, bad)).toMatch(/^must hold only times from .+ to /);
});

it.each<[type: string, value: Value]>([
  ['Array(String)', [OLD]],
  ['Map(String, UInt8)', new Map([['Date', 1]])],
  ['JSON', [OLD]],
  ['Nullable(Date)', null],
])('%s is not looked at for times: %j', (type, value) => {
  expect(outOfRange(type, value)).toBeUndefined();
});

it.each<[Type, Value, string]>([
  [{ kind: 'string' }, 'a"\\\n', '"a\\"\\\\\\n"'],
  [{ kind: 'float', bitSize: 64, real: false }, -Infinity, '-inf'],
  [{ kind: 'float', bitSize: 64, real: false }, NaN, 'nan'],
  [
    { kind: 'decimal', precision: 76, scale: 1 },
    '-12345678901234567890.5',
    '-12345678901234567890.5',
  ],
  [{ kind: 'boolean' }, true, 'true'],
  [{ kind: 'map', elementType: { kind: 'string' } }, new Map([['a"', 'b']]), '{"a\\"":"b"}'],
])('a %j %p is written as %s', (type, value, text) => {
  const column = { property: 'p', name: 'c "1"', type, nullable: true };
  const row = (each: Value) => ({ row: 0, values: Object.assign(newRecord(), { p: each }) });
  expect(lineOf([column], row(value))).toBe(`{"c \\"1\\"":${text}}\n`);
  expect(lineOf([column], row(null))).toBe('{"c \\"1\\"":null}\n');
  expect(lineOf([column], { row: 0, values: newRecord() })).toBe('{}\n');
});
