import { decodeValue, newRecord, parseJson, parseSchema } from '@penstock/schema';
import { batchOf, imported, MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

/** Type, JSON text of a value, and what the server says of it as text. */
const VALUES: readonly (readonly [type: object, json: string, text: string])[] = [
  [{ kind: 'string' }, '"a\\tb\\nc\\\\d \\\\N \\u00e9 \\ud83d\\ude00"', 'a\tb\nc\\d \\N é 😀'],
  [{ kind: 'string' }, '""', ''],
  [{ kind: 'string' }, '"\\\\N"', '\\N'],
  [{ kind: 'string', maxLength: 2 }, '"😀é"', '😀é'],
  [{ kind: 'boolean' }, 'false', 'false'],
  [{ kind: 'int', bitSize: 8 }, '-128', '-128'],
  [{ kind: 'int', bitSize: 64 }, '9223372036854775807', '9223372036854775807'],
  [{ kind: 'int', bitSize: 64, unsigned: true }, '18446744073709551615', '18446744073709551615'],
  [{ kind: 'float', bitSize: 32 }, '3.4028235e38', '3.4028235e+38'],
  [{ kind: 'float', bitSize: 64 }, '5e-324', '5e-324'],
  [{ kind: 'float', bitSize: 64 }, '"NaN"', 'NaN'],
  [{ kind: 'float', bitSize: 64 }, '"-Infinity"', '-Infinity'],
  [
    { kind: 'decimal', precision: 76, scale: 37 },
    '-12e-37',
    '-0.0000000000000000000000000000000000012',
  ],
  [{ kind: 'datetime' }, '"2026-03-01T23:59:59.999999999Z"', '2026-03-01 23:59:59.999999+00'],
  [{ kind: 'datetime' }, '"0001-01-01T00:00:00Z"', '0001-01-01 00:00:00+00'],
  [{ kind: 'date' }, '"9999-12-31"', '9999-12-31'],
  [{ kind: 'time' }, '"23:59:59.999999999"', '23:59:59.999999'],
  [{ kind: 'year' }, '1', '1'],
  [
    { kind: 'uuid' },
    '"123e4567-e89b-12d3-a456-426614174000"',
    '123e4567-e89b-12d3-a456-426614174000',
  ],
  [{ kind: 'ip' }, '"2001:db8::1"', '2001:db8::1/128'],
  [{ kind: 'json' }, '{"a":1.50,"b":[null,"\\\\t"]}', '{"a": 1.50, "b": [null, "\\\\t"]}'],
  [{ kind: 'json' }, 'null', 'null'],
  [{ kind: 'map', elementType: { kind: 'float', bitSize: 64 } }, '{"b":"NaN"}', '{"b": "NaN"}'],
  [
    { kind: 'array', elementType: { kind: 'string' } },
    '["a,b","","NULL","\\"\\\\\\\\"]',
    '{"a,b","","NULL","\\"\\\\\\\\"}',
  ],
  [{ kind: 'array', elementType: { kind: 'date' } }, '["2026-01-01"]', '{2026-01-01}'],
  [{ kind: 'array', elementType: { kind: 'json' } }, '[1.50,null]', '[1.50, null]'],
];

const schema = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: VALUES.map(([type], at) => ({ name: `c${at}`, type, readOptional: true })),
    }),
  ),
);
const profiles = { version: 1, schema };

let written: WrittenStage;
beforeEach(async () => {
  written = await writtenStage(MINE);
  await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, profiles));
});
afterEach(() => written.close());

it('keeps values of every kind to the last digit, times cut to microseconds', async () => {
  const record = newRecord();
  schema.properties.forEach(({ name, type }, at) => {
    record[name] = decodeValue(type, parseJson(VALUES[at]![1]));
  });
  const writer = await written.open({ ...OPTIONS, profiles });
  const session = await writer.begin({ role: 'run run1', epoch: 1 });
  expect(await session.write(batchOf([{ ...imported('u', 5), values: record }]))).toEqual([{}]);
  await writer.close();
  const [row] = (await written.stage.rows(
    `SELECT ${VALUES.map((_, at) => `c${at}::text`).join(', ')} FROM ${SCHEMA}._identities`,
  )) as Record<string, string>[];
  expect(VALUES.map((_, at) => row?.[`c${at}`])).toEqual(VALUES.map(([, , text]) => text));
});

it('tells why the server refuses a value, without the value, and where', async () => {
  const writer = await written.open({ ...OPTIONS, profiles });
  const session = await writer.begin({ role: 'run run1', epoch: 1 });
  const outcomes = await session.write(
    batchOf([
      imported('good', 5, { c0: 'a' }),
      imported('long', 5, { c3: 'secret' }),
      imported('large', 5, { c5: 40_000 }),
      imported('wrong', 5, { c13: 'secret' }),
      imported(
        'u'.repeat(100_000).replace(/u/g, () => Math.random().toString(36)),
        5,
      ),
    ]),
  );
  await writer.close();
  expect(outcomes).toEqual([
    {},
    { refused: 'c3: value too long for type character varying(2)' },
    { refused: 'c5: value … is out of range for type smallint' },
    { refused: 'c13: invalid input syntax for type timestamp with time zone' },
    { refused: expect.stringMatching(/index row (size|requires) /) as string },
  ]);
  expect(await written.identities()).toHaveLength(1);
  const stages = `SELECT FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename LIKE '\\_stage%'`;
  expect(await written.stage.rows(stages)).toHaveLength(0);
});
