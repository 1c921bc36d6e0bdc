import type { SnowflakeColumn } from '@penstock/databases';
import { cellWriter, columnTypeOf } from './column-cell';

const column = (
  type: string,
  precision: number | null = null,
  scale: number | null = null,
): SnowflakeColumn => ({
  ...{ getName: () => 'N', getType: () => type },
  ...{ getPrecision: () => precision, getScale: () => scale },
});

it.each([
  [column('fixed', 38, 2), '1.50', 'NUMBER(38,2)', '1.50'],
  [column('fixed', 38, 0), '9'.repeat(38), 'NUMBER(38,0)', '9'.repeat(38)],
  [column('real'), '0.30000000000000004', 'FLOAT', '0.30000000000000004'],
  [column('real'), 'inf', 'FLOAT', '"Infinity"'],
  [column('text'), 'é"', 'VARCHAR', '"é\\""'],
  [column('text'), 'a\ud800', 'VARCHAR', '"a\\ud800"'],
  [column('boolean'), '1', 'BOOLEAN', 'true'],
  [column('date'), '-719162', 'DATE', '"0001-01-01"'],
  [column('time', 0, 9), '86399.123456789', 'TIME(9)', '"23:59:59.123456789"'],
  [
    column('timestamp_tz', 0, 9),
    '1704061800.000000000 1440',
    'TIMESTAMP_TZ(9)',
    '"2023-12-31T22:30:00Z"',
  ],
  [column('variant'), '{"x":[1.10]}', 'VARIANT', '{"x":[1.10]}'],
  [column('array'), '[', 'ARRAY', '"["'],
  [column('binary'), '00FF', 'BINARY', '"00FF"'],
])('%# of a column, %s of %s is written as %s', (of, cell, type, json) => {
  expect(columnTypeOf(of)).toBe(type);
  expect(cellWriter(of)(cell)).toBe(json);
  expect(cellWriter(of)(null)).toBe('null');
});
