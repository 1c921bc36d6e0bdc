import type { Type } from '@penstock/schema';
import { aDecimal, aFloat, anInt } from './schema.fixtures';
import { equalsOneOf, typedOrder } from './typed-tests';

const of = (kind: 'datetime' | 'date' | 'time' | 'year' | 'uuid' | 'ip'): Type => ({ kind });
const STRING: Type = { kind: 'string' };

it.each<[type: Type, value: unknown, operands: string[], expected: boolean]>([
  [STRING, 'abc', ['abc'], true],
  [STRING, 'ABC', ['abc'], false],
  [STRING, 'b', ['a', 'b'], true],
  [STRING, 'c', ['a', 'b'], false],
  [STRING, undefined, ['undefined'], false],
  [anInt(32), 5, ['5'], true],
  [anInt(32), 5n, ['5'], false],
  [anInt(32), '5', ['5'], false],
  [anInt(8), 7, ['9223372036854775807', '7'], true],
  [anInt(64), 9223372036854775807n, ['9223372036854775807'], true],
  [anInt(64), 9223372036854775806n, ['9223372036854775807'], false],
  [anInt(64), 5, ['5', '6'], false],
  [aFloat(64), 1.1, ['1.1'], true],
  [aFloat(64), NaN, ['1.1'], false],
  [aFloat(64), NaN, ['1.1', '2'], false],
  [aFloat(32), Math.fround(1.1), ['1.1'], true],
  [aFloat(32), Math.fround(16777216), ['16777217'], true],
  [aDecimal, '1.5', ['1.5'], true],
  [aDecimal, 1.5, ['1.5'], false],
  [of('year'), 2024, ['2024'], true],
  [of('datetime'), '2024-01-01T00:00:00Z', ['2024-01-01T00:00:00Z'], true],
  [of('ip'), '::ffff:1.2.3.4', ['1.2.3.4'], false],
  [of('uuid'), null, ['550e8400-e29b-41d4-a716-446655440000'], false],
])('%j: %p is one of %j: %s', (type, value, operands, expected) => {
  expect(equalsOneOf(type, operands)(value)).toBe(expected);
});

it.each<[type: Type, value: unknown, operand: string, expected: number]>([
  [STRING, 'a', 'b', -1],
  [STRING, 'b', 'b', 0],
  [STRING, 'ab', 'a', 1],
  [STRING, '\u{ffff}', '\u{10000}', -1],
  [STRING, 5, '5', NaN],
  [STRING, null, '', NaN],
  [anInt(32), 9, '10', -1],
  [anInt(32), -1, '-9223372036854775808', 1],
  [anInt(32), undefined, '0', NaN],
  [anInt(64), 9223372036854775806n, '9223372036854775807', -1],
  [anInt(64), 5n, '5', 0],
  [anInt(64), 6n, '5', 1],
  [anInt(64), 5, '5', NaN],
  [aFloat(64), Infinity, '1e308', 1],
  [aFloat(64), -Infinity, '1', -1],
  [aFloat(64), NaN, '1', NaN],
  [aFloat(64), 5e-324, '0', 1],
  [aFloat(32), Math.fround(1.1), '1.1', 0],
  [aDecimal, '9', '10', -1],
  [aDecimal, '-1.5', '-1.49', -1],
  [aDecimal, 9, '10', NaN],
  [of('datetime'), '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00Z', 1],
  [of('datetime'), '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.5Z', -1],
  [of('date'), '2024-01-01', '2024-01-02', -1],
  [of('time'), '10:00:00.500', '10:00:00', 1],
  [of('time'), '10:00:00.500', '10:00:00.500', 0],
  [of('year'), 999, '1000', -1],
])('%j: %p stands to %p as %d', (type, value, operand, expected) => {
  expect(Math.sign(typedOrder(type, operand)(value))).toBe(expected);
});
