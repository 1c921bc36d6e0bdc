import type { Type, Value } from '@penstock/schema';
import { snowflakeLiteral, snowflakeName } from './snowflake-literal';

it.each<[Type, Value, string]>([
  [{ kind: 'string' }, "a'b\\c", "'a''b\\\\c'"],
  [{ kind: 'boolean' }, false, 'FALSE'],
  [{ kind: 'float', bitSize: 64, real: false }, NaN, "CAST('NaN' AS FLOAT)"],
  [{ kind: 'float', bitSize: 64, real: false }, -Infinity, "CAST('-inf' AS FLOAT)"],
  [{ kind: 'float', bitSize: 64, real: false }, 0.1, "CAST('1e-1' AS FLOAT)"],
  [{ kind: 'decimal', precision: 38, scale: 2 }, '-1.5', "CAST('-1.5' AS NUMBER(2,1))"],
  [
    { kind: 'datetime' },
    '2024-01-01T00:00:00.123456789Z',
    "CAST('2024-01-01 00:00:00.123456789 +00:00' AS TIMESTAMP_TZ)",
  ],
])('a literal of %j is %j written as %s', (type, value, literal) => {
  expect(snowflakeLiteral(type, value)).toBe(literal);
});

it('a name holds quotes twice', () => {
  expect(snowflakeName('a"b')).toBe('"a""b"');
});
