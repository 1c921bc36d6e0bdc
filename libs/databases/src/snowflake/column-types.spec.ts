import { textOf } from '@penstock/schema';
import { type Cell, snowflakeCounterpart, type SnowflakeType } from './column-types';

const type = (name: string, changes: Partial<SnowflakeType> = {}): SnowflakeType => ({
  ...{ name, precision: null, scale: null, length: null, ...changes },
});
const fixed = (precision: number, scale = 0) => type('fixed', { precision, scale });

const limit = (digits: number) => 10n ** BigInt(digits) - 1n;
const int = (bitSize: 32 | 64, digits: number) => ({
  ...{ kind: 'int', bitSize, unsigned: false, minimum: -limit(digits), maximum: limit(digits) },
});

it.each<[SnowflakeType, Cell, object, string]>([
  [fixed(1), '-9', int(32, 1), '-9'],
  [fixed(9), '999999999', int(32, 9), '999999999'],
  [fixed(10), '9999999999', int(64, 10), '9999999999'],
  [fixed(18), '-999999999999999999', int(64, 18), '-999999999999999999'],
  [
    fixed(19),
    '9999999999999999999',
    { kind: 'decimal', precision: 19, scale: 0 },
    '9999999999999999999',
  ],
  [
    fixed(38, 37),
    `1.${'1'.repeat(37)}`,
    { kind: 'decimal', precision: 38, scale: 37 },
    `1.${'1'.repeat(37)}`,
  ],
  [
    type('real'),
    '0.30000000000000004',
    { kind: 'float', bitSize: 64, real: false },
    '0.30000000000000004',
  ],
  [type('real'), 'NaN', { kind: 'float', bitSize: 64, real: false }, 'NaN'],
  [type('real'), '-inf', { kind: 'float', bitSize: 64, real: false }, '-Infinity'],
  [type('text', { length: 8 }), 'é', { kind: 'string', maxLength: 8 }, 'é'],
  [type('text', { length: 16_777_216 }), '', { kind: 'string' }, ''],
  [type('text'), 'x', { kind: 'string' }, 'x'],
  [type('boolean'), '1', { kind: 'boolean' }, 'true'],
  [type('boolean'), '0', { kind: 'boolean' }, 'false'],
  [type('date'), '-719162', { kind: 'date' }, '0001-01-01'],
  [type('time', { scale: 9 }), '86399.123456789', { kind: 'time' }, '23:59:59.123456789'],
  [
    type('timestamp_ntz', { scale: 9 }),
    '-0.750000000',
    { kind: 'datetime' },
    '1969-12-31T23:59:59.250Z',
  ],
  [
    type('timestamp_tz', { scale: 9 }),
    '1704061800.123456789 1560',
    { kind: 'datetime' },
    '2023-12-31T22:30:00.123456789Z',
  ],
  [
    type('variant'),
    '{"a":12345678901234567890.10}',
    { kind: 'json' },
    '{"a":12345678901234567890.10}',
  ],
  [type('array'), '[1,"b"]', { kind: 'json' }, '[1,"b"]'],
])('%j %j becomes %j', (given, cell, expected, text) => {
  const counterpart = snowflakeCounterpart(given);
  if ('unsupported' in counterpart) throw new Error(counterpart.unsupported);
  expect(counterpart.type).toEqual(expected);
  expect(textOf(counterpart.type, counterpart.read(cell))).toBe(text);
});

it.each<[SnowflakeType, Cell, string]>([
  [fixed(9), 'x', 'is not a decimal of 9 digits, 0 of them after the point'],
  [fixed(9), '', 'is not a decimal of 9 digits'],
  [fixed(9), '1000000000', 'is not a decimal of 9 digits'],
  [fixed(18), '1.5', 'is not a decimal of 18 digits'],
  [fixed(18), '1000000000000000000', 'is not a decimal of 18 digits'],
  [type('real'), '', 'is not a number'],
  [type('boolean'), 'x', 'is not a boolean'],
  [type('text'), 'a\0b', 'holds NUL or half a character'],
  [type('text'), 'a\ud800b', 'holds NUL or half a character'],
  [type('date'), '2932897', 'is not a day of the years 1 to 9999'],
  [type('timestamp_tz'), '-62135596801.000000000 1440', 'is not a time of the years 1 to 9999'],
  [type('variant'), '{"a":1,"a":2}', 'is not JSON that can be taken'],
])('%j %j is an error of its row', (given, cell, message) => {
  const counterpart = snowflakeCounterpart(given);
  if ('unsupported' in counterpart) throw new Error(counterpart.unsupported);
  expect(() => counterpart.read(cell)).toThrow(message);
});

it.each(['binary', 'geography', 'vector', 'VECTOR(FLOAT, 3)'])('%s has no counterpart', (name) => {
  expect(snowflakeCounterpart(type(name))).toEqual({ unsupported: name.toUpperCase() });
});
