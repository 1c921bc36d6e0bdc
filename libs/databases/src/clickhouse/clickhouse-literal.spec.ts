import type { Type, Value } from '@penstock/schema';
import { clickhouseLiteral, clickhouseName } from './clickhouse-literal';

const DATETIME: Type = { kind: 'datetime' };
const DATE: Type = { kind: 'date' };
const decimal = (precision: number, scale: number): Type => ({ kind: 'decimal', precision, scale });

it.each<[Type, Value, string]>([
  [DATETIME, '2024-01-01T00:00:00Z', "toDateTime('2024-01-01 00:00:00', 'UTC')"],
  [DATETIME, '2024-01-01T00:00:00.5Z', "toDateTime64('2024-01-01 00:00:00.5', 6, 'UTC')"],
  [DATETIME, '1970-12-31T23:59:59Z', "toDateTime64('1970-12-31 23:59:59', 6, 'UTC')"],
  [DATETIME, '1971-01-01T00:00:00Z', "toDateTime('1971-01-01 00:00:00', 'UTC')"],
  [DATETIME, '2105-12-31T00:00:00Z', "toDateTime('2105-12-31 00:00:00', 'UTC')"],
  [DATETIME, '2106-01-01T00:00:00Z', "toDateTime64('2106-01-01 00:00:00', 6, 'UTC')"],
  [DATETIME, '1900-01-01T00:00:00Z', "toDateTime64('1900-01-01 00:00:00', 6, 'UTC')"],
  [DATE, '2299-12-31', "toDate32('2299-12-31')"],
  [decimal(38, 1), `${'1'.repeat(37)}.5`, `toDecimal128('${'1'.repeat(37)}.5', 1)`],
  [decimal(76, 1), `-${'1'.repeat(38)}.5`, `toDecimal256('-${'1'.repeat(38)}.5', 1)`],
  [{ kind: 'float', bitSize: 64, real: false }, -Infinity, "toFloat64('-inf')"],
  [{ kind: 'float', bitSize: 32, real: false }, NaN, "toFloat32('nan')"],
  [{ kind: 'string' }, "a\\'b", "'a\\\\\\'b'"],
])('a %j %j is %s', (type, value, literal) => {
  expect(clickhouseLiteral(type, value)).toBe(literal);
});

it.each<[Type, Value]>([
  [DATETIME, '1899-12-31T23:59:59Z'],
  [DATETIME, '2300-01-01T00:00:00Z'],
  [DATE, '1899-12-31'],
  [{ kind: 'string' }, 'a\0b'],
])('there is none of %j %j', (type, value) => {
  expect(() => clickhouseLiteral(type, value)).toThrow(RangeError);
});

it('a name is quoted', () => {
  expect(clickhouseName('a`b\\c')).toBe('`a\\`b\\\\c`');
});
