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
  ['String', ['', '0001-01-01'], []],
])('%s has its times, and no others', (type, good, bad) => {
  expect(good.map((each) => outOfRange(type, each))).toEqual(good.map(() => undefined));
  expect(bad.map((each) => outOfRange(type, each) !== undefined)).toEqual(bad.map(() => true));
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
