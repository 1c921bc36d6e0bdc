import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import { decodeValue, newRecord, parseJson, parseSchema, parseType } from '@penstock/schema';
import { columnType } from './column-type';
import { columnText, copyText } from './copy-text';
import { valueAt } from '../../profiles/value-columns';
import { profileColumns } from './profile-columns';

const schemaOf = (properties: readonly object[]) =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));
const typeOf = (type: object) => parseType(parseJson(JSON.stringify(type)));

it('gives the first schema of a workspace its columns', () => {
  expect(
    profileColumns(FIRST_PROFILE_SCHEMA.schema).map(({ name, sqlType }) => [name, sqlType]),
  ).toEqual([
    ['email', 'text'],
    ['first_name', 'text'],
    ['last_name', 'text'],
  ]);
});

it('flattens objects at every depth, in order, and nothing else', () => {
  const int = { kind: 'int', bitSize: 8 };
  const columns = profileColumns(
    schemaOf([
      { name: 'z', type: int },
      {
        name: 'a',
        type: {
          kind: 'object',
          properties: [
            { name: 'c', type: { kind: 'object', properties: [{ name: 'd', type: int }] } },
            { name: 'b', type: { kind: 'map', elementType: int } },
          ],
        },
      },
    ]),
  );
  expect(columns.map(({ name, path }) => [name, path])).toEqual([
    ['z', ['z']],
    ['a_c_d', ['a', 'c', 'd']],
    ['a_b', ['a', 'b']],
  ]);
  const inner = Object.assign(newRecord(), { d: 1 });
  const record = Object.assign(newRecord(), { a: Object.assign(newRecord(), { c: inner }) });
  expect(columns.map(({ path }) => valueAt(record, path))).toEqual([undefined, 1, undefined]);
});

it.each([
  [{ kind: 'string' }, 'text'],
  [{ kind: 'string', maxLength: 10_485_760 }, 'character varying(10485760)'],
  [{ kind: 'string', maxLength: 10_485_761 }, 'text'],
  [{ kind: 'boolean' }, 'boolean'],
  [{ kind: 'int', bitSize: 8 }, 'smallint'],
  [{ kind: 'int', bitSize: 16 }, 'smallint'],
  [{ kind: 'int', bitSize: 24 }, 'integer'],
  [{ kind: 'int', bitSize: 32 }, 'integer'],
  [{ kind: 'int', bitSize: 64 }, 'bigint'],
  [{ kind: 'int', bitSize: 8, unsigned: true }, 'smallint'],
  [{ kind: 'int', bitSize: 16, unsigned: true }, 'integer'],
  [{ kind: 'int', bitSize: 24, unsigned: true }, 'integer'],
  [{ kind: 'int', bitSize: 32, unsigned: true }, 'bigint'],
  [{ kind: 'int', bitSize: 64, unsigned: true }, 'numeric(20,0)'],
  [{ kind: 'float', bitSize: 32 }, 'real'],
  [{ kind: 'float', bitSize: 64 }, 'double precision'],
  [{ kind: 'decimal', precision: 76, scale: 37 }, 'numeric(76,37)'],
  [{ kind: 'datetime' }, 'timestamp with time zone'],
  [{ kind: 'date' }, 'date'],
  [{ kind: 'time' }, 'time without time zone'],
  [{ kind: 'year' }, 'smallint'],
  [{ kind: 'uuid' }, 'uuid'],
  [{ kind: 'ip' }, 'inet'],
  [{ kind: 'json' }, 'jsonb'],
  [{ kind: 'map', elementType: { kind: 'boolean' } }, 'jsonb'],
  [{ kind: 'array', elementType: { kind: 'string', maxLength: 3 } }, 'character varying(3)[]'],
  [{ kind: 'array', elementType: { kind: 'json' } }, 'jsonb'],
])('%j is kept as %s', (type, expected) => {
  expect(columnType(typeOf(type))).toBe(expected);
});

const array = (elementType: object) => ({ kind: 'array', elementType });

it.each([
  [{ kind: 'datetime' }, '"2026-03-01T09:30:00.123456999Z"', '2026-03-01T09:30:00.123456Z'],
  [{ kind: 'datetime' }, '"2026-03-01T09:30:00.123Z"', '2026-03-01T09:30:00.123Z'],
  [{ kind: 'time' }, '"23:59:59.999999999"', '23:59:59.999999'],
  [{ kind: 'int', bitSize: 64 }, '-9223372036854775808', '-9223372036854775808'],
  [{ kind: 'decimal', precision: 30, scale: 10 }, '1234567890.0123456789', '1234567890.0123456789'],
  [{ kind: 'float', bitSize: 32 }, '16777216', '16777216'],
  [{ kind: 'float', bitSize: 64 }, '"-Infinity"', '-Infinity'],
  [{ kind: 'boolean' }, 'true', 'true'],
  [{ kind: 'json' }, '{"b":1.50,"a":null}', '{"b":1.50,"a":null}'],
  [{ kind: 'map', elementType: { kind: 'string' } }, '{"b":"x"}', '{"b":"x"}'],
  [array({ kind: 'json' }), '[1.50,null]', '[1.50,null]'],
  [
    array({ kind: 'string' }),
    '["a\\"b","c\\\\d","",  "NULL","e,f"]',
    '{"a\\"b","c\\\\d","","NULL","e,f"}',
  ],
  [array({ kind: 'time' }), '["01:02:03.123456789"]', '{"01:02:03.123456"}'],
  [array({ kind: 'int', bitSize: 8 }), '[]', '{}'],
])('a value of %j, %s, is written %s', (notation, json, expected) => {
  const type = typeOf(notation);
  expect(columnText(type, decodeValue(type, parseJson(json)))).toBe(expected);
});

it('escapes what has a meaning in the text format of COPY', () => {
  expect(copyText('a\tb\nc\rd\\e')).toBe('a\\tb\\nc\\rd\\\\e');
  expect(copyText('\\N')).toBe('\\\\N');
  expect(copyText('plain "text"')).toBe('plain "text"');
});
