import { decodeValue, parseJson, parseSchema, parseType, textOf } from '@penstock/schema';
import { columnType } from './column-type';
import { profileColumns } from './profile-columns';
import { cellReader } from './read-cell';
import { stagedSql, stagedText } from './staged-text';

const typeOf = (type: object) => parseType(parseJson(JSON.stringify(type)));
const array = (elementType: object) => ({ kind: 'array', elementType });

it('names the column of a leaf in capitals', () => {
  const int = { kind: 'int', bitSize: 8 };
  const near = { kind: 'object', properties: [{ name: 'Far_1', type: int }] };
  const schema = { kind: 'object', properties: [{ name: 'near', type: near }] };
  expect(profileColumns(parseSchema(parseJson(JSON.stringify(schema))))).toMatchObject([
    { name: 'NEAR_FAR_1', path: ['near', 'Far_1'], sqlType: 'NUMBER(3,0)' },
  ]);
});

it.each([
  [{ kind: 'string' }, 'VARCHAR(16777216)'],
  [{ kind: 'string', maxLength: 16_777_216 }, 'VARCHAR(16777216)'],
  [{ kind: 'string', maxLength: 16_777_217 }, 'VARCHAR(16777216)'],
  [{ kind: 'string', maxLength: 3 }, 'VARCHAR(3)'],
  [{ kind: 'boolean' }, 'BOOLEAN'],
  [{ kind: 'int', bitSize: 8 }, 'NUMBER(3,0)'],
  [{ kind: 'int', bitSize: 16 }, 'NUMBER(5,0)'],
  [{ kind: 'int', bitSize: 24 }, 'NUMBER(7,0)'],
  [{ kind: 'int', bitSize: 32 }, 'NUMBER(10,0)'],
  [{ kind: 'int', bitSize: 64 }, 'NUMBER(19,0)'],
  [{ kind: 'int', bitSize: 8, unsigned: true }, 'NUMBER(3,0)'],
  [{ kind: 'int', bitSize: 16, unsigned: true }, 'NUMBER(5,0)'],
  [{ kind: 'int', bitSize: 24, unsigned: true }, 'NUMBER(8,0)'],
  [{ kind: 'int', bitSize: 32, unsigned: true }, 'NUMBER(10,0)'],
  [{ kind: 'int', bitSize: 64, unsigned: true }, 'NUMBER(20,0)'],
  [{ kind: 'float', bitSize: 32 }, 'FLOAT'],
  [{ kind: 'float', bitSize: 64 }, 'FLOAT'],
  [{ kind: 'decimal', precision: 38, scale: 37 }, 'NUMBER(38,37)'],
  [{ kind: 'datetime' }, 'TIMESTAMP_TZ(9)'],
  [{ kind: 'date' }, 'DATE'],
  [{ kind: 'time' }, 'TIME(9)'],
  [{ kind: 'year' }, 'NUMBER(4,0)'],
  [{ kind: 'uuid' }, 'VARCHAR(36)'],
  [{ kind: 'ip' }, 'VARCHAR(45)'],
  [{ kind: 'json' }, 'VARIANT'],
  [{ kind: 'map', elementType: { kind: 'boolean' } }, 'VARIANT'],
  [array({ kind: 'string', maxLength: 3 }), 'ARRAY'],
  [array({ kind: 'json' }), 'ARRAY'],
])('%j is kept as %s', (type, expected) => {
  expect(columnType(typeOf(type))).toBe(expected);
});

it.each([
  [{ kind: 'datetime' }, '"2026-03-01T09:30:00.123456789Z"', '2026-03-01 09:30:00.123456789+00:00'],
  [{ kind: 'datetime' }, '"0001-01-01T00:00:00Z"', '0001-01-01 00:00:00+00:00'],
  [{ kind: 'time' }, '"23:59:59.999999999"', '23:59:59.999999999'],
  [{ kind: 'int', bitSize: 64 }, '-9223372036854775808', '-9223372036854775808'],
  [{ kind: 'decimal', precision: 30, scale: 10 }, '1234567890.0123456789', '1234567890.0123456789'],
  [{ kind: 'float', bitSize: 32 }, '0.1', '1.0000000149011612e-1'],
  [{ kind: 'float', bitSize: 64 }, '"-Infinity"', '-inf'],
  [{ kind: 'float', bitSize: 64 }, '"NaN"', 'NaN'],
  [{ kind: 'boolean' }, 'true', 'true'],
  [{ kind: 'json' }, '{"b":1.50,"a":[null,"1.50"]}', '{"b":1.5,"a":[null,"1.50"]}'],
  [{ kind: 'map', elementType: { kind: 'string' } }, '{"b":"x"}', '{"b":"x"}'],
  [array({ kind: 'float', bitSize: 32 }), '[0.1,"NaN",1e3]', '[0.1,"NaN",1000]'],
  [array({ kind: 'string' }), String.raw`["a\"b","c\\d",""]`, String.raw`["a\"b","c\\d",""]`],
  [array({ kind: 'datetime' }), '["2026-03-01T09:30:00.5Z"]', '["2026-03-01T09:30:00.500Z"]'],
])('a value of %j, %s, is staged as %s', (notation, json, expected) => {
  const type = typeOf(notation);
  expect(stagedText(type, decodeValue(type, parseJson(json)))).toBe(expected);
});

it('cuts digits below the precision of a column off', () => {
  const moment = '2026-03-01T09:30:00.123999999Z';
  expect(stagedText({ kind: 'datetime' }, moment, 3)).toBe('2026-03-01 09:30:00.123+00:00');
  expect(stagedText({ kind: 'time' }, '23:59:59.9999', 3)).toBe('23:59:59.999');
});

it('keeps no JSON whose numbers would be rounded', () => {
  const type = typeOf({ kind: 'json' });
  const value = decodeValue(type, parseJson(`{"a":[1e400]}`));
  expect(() => stagedText(type, value)).toThrow('more digits than Snowflake keeps');
});

it.each([
  ['VARCHAR(4)', '?'],
  ['VARIANT', 'PARSE_JSON(?)'],
  ['ARRAY', 'CAST(PARSE_JSON(?) AS ARRAY)'],
  ['NUMBER(20,0)', 'CAST(? AS NUMBER(20,0))'],
  ['TIMESTAMP_TZ(3)', 'CAST(? AS TIMESTAMP_TZ(3))'],
])('the value of a column %s is %s', (sqlType, sql) => {
  expect(stagedSql(sqlType, '?')).toBe(sql);
});

it.each([
  [{ kind: 'boolean' }, '1', 'true'],
  [{ kind: 'int', bitSize: 8 }, '-5', '-5'],
  [{ kind: 'int', bitSize: 64, unsigned: true }, '18446744073709551615', '18446744073709551615'],
  [{ kind: 'year' }, '2024', '2024'],
  [{ kind: 'decimal', precision: 30, scale: 10 }, '1.5000000000', '1.5'],
  [{ kind: 'float', bitSize: 32 }, '0.10000000149011612', '0.1'],
  [{ kind: 'float', bitSize: 64 }, '-inf', '-Infinity'],
  [{ kind: 'datetime' }, '1704061800.123456789 1440', '2023-12-31T22:30:00.123456789Z'],
  [{ kind: 'date' }, '-719162', '0001-01-01'],
  [{ kind: 'time' }, '86399.100000000', '23:59:59.100'],
  [{ kind: 'string' }, '1', '1'],
  [{ kind: 'json' }, 'null', 'null'],
  [{ kind: 'json' }, '{"a":12345678901234567890.1}', '{"a":12345678901234567890.1}'],
])('of %j, the cell %s is read as %s', (notation, cell, text) => {
  const type = typeOf(notation);
  expect(textOf(type, cellReader(type)(cell))).toBe(text);
});

it.each([
  [{ kind: 'int', bitSize: 8 }, '128'],
  [{ kind: 'int', bitSize: 8 }, '1.5'],
  [{ kind: 'boolean' }, 'x'],
  [{ kind: 'uuid' }, 'x'],
  [{ kind: 'date' }, 'x'],
  [{ kind: 'float', bitSize: 64 }, ''],
  [{ kind: 'json' }, '{'],
  [array({ kind: 'boolean' }), '[1]'],
])('of %j, the cell %s is not read', (notation, cell) => {
  expect(() => cellReader(typeOf(notation))(cell)).toThrow();
});
