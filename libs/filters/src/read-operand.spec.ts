import type { Type } from '@penstock/schema';
import { aDecimal, aFloat, anInt } from './schema.fixtures';
import { readOperand } from './read-operand';

const of = (kind: 'datetime' | 'date' | 'time' | 'year' | 'uuid' | 'ip' | 'json'): Type => ({
  kind,
});
const AB: Type = { kind: 'string', values: ['A', ''] };

it.each<[type: Type, text: string, expected: string]>([
  [{ kind: 'string' }, ' x ', ' x '],
  [AB, '', ''],
  [of('json'), '{', '{'],
  [anInt(8), '+5', '5'],
  [anInt(8), '-0', '0'],
  [anInt(8), '+0', '0'],
  [anInt(8), '-9223372036854775808', '-9223372036854775808'],
  [anInt(8), '9223372036854775807', '9223372036854775807'],
  [anInt(8, true), '18446744073709551615', '18446744073709551615'],
  [aFloat(64), '+1.50', '1.5'],
  [aFloat(64), '-0', '0'],
  [aFloat(64), '1E3', '1000'],
  [aFloat(64), '1e21', '1e+21'],
  [aFloat(64), '1e-400', '0'],
  [aFloat(64), '9007199254740993', '9007199254740992'],
  [aFloat(32), '1.1', '1.1'],
  [aFloat(32), '1.10000002384185791015625', '1.1'],
  [aFloat(32), '16777217', '16777216'],
  [aFloat(32), '16777217.0000000001', '16777218'],
  [aFloat(32), '3.4028235e38', '3.4028235e+38'],
  [aDecimal, '+1.50', '1.5'],
  [aDecimal, '-0.0', '0'],
  [aDecimal, '1e2', '100'],
  [aDecimal, '-1.2345', '-1.2345'],
  [aDecimal, '1e75', `1${'0'.repeat(75)}`],
  [aDecimal, '1e-37', `0.${'0'.repeat(36)}1`],
  [of('datetime'), '2024-W09', '2024-02-26T00:00:00Z'],
  [of('date'), '2024-02-29', '2024-02-29'],
  [of('time'), '11:00:00.5', '11:00:00.500'],
  [of('year'), '0024', '24'],
  [of('year'), '9999', '9999'],
  [of('uuid'), '{550E8400-E29B-41D4-A716-446655440000}', '550e8400-e29b-41d4-a716-446655440000'],
  [of('ip'), '0:0:0:0:0:0:0:1', '::1'],
])('%j: %p is stored as %p', (type, text, expected) => {
  expect(readOperand(type, text)).toBe(expected);
  expect(readOperand(type, expected)).toBe(expected);
});

it.each<[type: Type, texts: string[]]>([
  [AB, ['B', 'a', ' ']],
  [anInt(8), ['', '05', '-', '+-5', '--5', '5.0', '1e3', '5 ', '0x1F', '٥', '9223372036854775808']],
  [anInt(8), ['-9223372036854775809', '+00', '5\n']],
  [anInt(8, true), ['+5', '-0', '-5', '18446744073709551616']],
  [
    aFloat(64),
    ['.5', '5.', '00', 'NaN', 'Infinity', '1e', '1e+', '1_0', '+-1', '--1', '1e309', ''],
  ],
  [aFloat(32), ['3.5e38', '-3.5e38']],
  [aDecimal, ['.5', '5.', '00', 'NaN', '--1', '1e76', '1e-38', '', '1e99999999999']],
  [of('datetime'), ['2023-02-29', '1709201472', 'yesterday']],
  [of('date'), ['20240229', '0000-01-01']],
  [of('time'), ['24:00:00', '10:11']],
  [of('year'), ['0', '0000', '10000', '00024', '-5', '+5', '5.0', '']],
  [of('uuid'), ['550e8400']],
  [of('ip'), ['[::1]', '1.2.3', 'fe80::1%eth0']],
])('%j refuses %j', (type, texts) => {
  expect(texts.filter((text) => readOperand(type, text) !== undefined)).toEqual([]);
});
