import { compileCodec, type Json, parseJson, printType } from '@penstock/schema';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AnswerLimit } from '../database/answer-limit';
import { ReadColumns } from '../database/read-columns';
import { rowsOf } from '../database/rows-of';
import { typesIn } from '../reading.fixture';
import { type Cell, ClickhouseAnswer } from './clickhouse-answer';
import { clickhouseCounterpart, type TimeWriting } from './column-types';

/**
 * What chDB 26.9, the engine of ClickHouse of September 2026, has written for one value of each type, with the settings
 * of the session.
 */
const ANSWER = readFileSync(join(__dirname, 'written-by-chdb.json'));

const read = async (text: Buffer | string, times: TimeWriting) => {
  const answer = await ClickhouseAnswer.of(Readable.from([Buffer.from(text)]), new AnswerLimit());
  const columns = new ReadColumns<Cell>(
    answer.columns.map(({ name, type }) => ({ name, ...clickhouseCounterpart(type, times) })),
  );
  const rows = rowsOf({
    columns,
    batches: answer.batches(),
    faultOf: (error) => {
      throw error;
    },
    close: () => Promise.resolve(),
  });
  const codec = compileCodec(rows.schema);
  const records: string[] = [];
  for await (const batch of rows.records)
    for (const record of batch)
      records.push('values' in record ? codec.encode(record.values) : record.error);
  return { ...rows, types: typesIn(JSON.parse(printType(rows.schema))), records };
};

const kind = (name: string) => ({ kind: name });
const int = (bitSize: number, unsigned = false) => ({
  kind: 'int',
  bitSize,
  ...(unsigned && { unsigned }),
});

it('types of a new server have counterparts', async () => {
  const { types, issues, records } = await read(ANSWER, { isUtc: true, zone: 'Asia/Tokyo' });
  expect(types).toMatchObject({
    bool: kind('boolean'),
    i8: int(8),
    u64: int(64, true),
    i64: int(64),
    i128: { kind: 'decimal', precision: 39 },
    f32: { kind: 'float', bitSize: 32 },
    dec: { kind: 'decimal', precision: 76, scale: 5 },
    d: kind('date'),
    d32: kind('date'),
    dt: kind('datetime'),
    dt64: kind('datetime'),
    id: kind('uuid'),
    ip4: kind('ip'),
    ip6: kind('ip'),
    e: { kind: 'string', values: ['a,b', "c'd"] },
    low: kind('string'),
    fixed: kind('string'),
    arr: { kind: 'array', elementType: int(8, true) },
    m: { kind: 'map', elementType: int(64) },
    j: kind('json'),
    nothing: kind('string'),
    absent: int(8, true),
  });
  expect(issues).toEqual([
    'column 6 ("u256") is left out: type UInt256 is not supported',
    'column 25 ("t") is left out: type Tuple(UInt8, String) is not supported',
  ]);
  expect(records).toEqual([
    '{"bool":true,"i8":-128,"u64":18446744073709551615,"i64":-9223372036854775808,"i128":-170141183460469231731687303715884105728,"f32":0.1,"not_a_number":"NaN","minus_inf":"-Infinity","dec":-1234567890123456789012345678901234567890.12345,"d":"2024-02-29","d32":"1900-01-01","dt":"2024-03-31T00:30:00Z","dt64":"2299-12-31T14:59:59.123456Z","id":"61f0c404-5cb3-11e7-907b-a6006ad3dba0","ip4":"10.0.0.1","ip6":"2001:db8::1","e":"a,b","low":"low","fixed":"ab","arr":[1,2],"arr_null":["x","y"],"m":{"k":9007199254740993},"j":{"a":{"c":[1.5]},"b":1},"nothing":null,"absent":null,"text":"\\\\ \\" / \\n é 😀 \\\\u2028"}',
  ]);
});

const written = (type: string, value: string): string =>
  `{"meta":[{"name":"c","type":${JSON.stringify(type)}}],"data":[[${value}]],"rows":1}`;

type Row = [type: string, value: string, times: TimeWriting, result: Json | RegExp];

const UTC = { isUtc: false, zone: 'UTC' };
const TOKYO = { isUtc: false, zone: 'Asia/Tokyo' };

it.each<Row>([
  ['DateTime', '"2024-01-01 00:00:00"', UTC, '2024-01-01T00:00:00Z'],
  ["DateTime('Etc/UTC')", '"2024-01-01 00:00:00"', TOKYO, '2024-01-01T00:00:00Z'],
  ['DateTime', '"0000-00-00 00:00:00"', UTC, /is not a time of the years 1 to 9999/],
  ['Array(Nullable(UInt8))', '[1,null]', UTC, /has an element that is null/],
  ['String', '"a\\u0000b"', UTC, /holds NUL/],
  ['FixedString(3)', '"a\\u0000b"', UTC, /holds NUL/],
  ['Float64', 'null', UTC, /is null/],
  ['JSON', '{"a":"\\u0000"}', UTC, /holds JSON that cannot be taken/],
  ['Map(String, UInt8)', '{"a":1,"a":1}', UTC, /is not JSON that can be taken/],
])('%s %s is read', async (type, value, times, result) => {
  const { records } = await read(written(type, value), times);
  if (result instanceof RegExp) expect(records[0]).toMatch(result);
  else expect((parseJson(records[0] ?? '') as ReadonlyMap<string, Json>).get('c')).toEqual(result);
});

it('times that a server writes in a zone with gaps are left out', async () => {
  await expect(read(written("DateTime('Europe/Rome')", '""'), UTC)).rejects.toThrow(
    'type DateTime in the time zone Europe/Rome, which the server does not write in UTC, is not supported',
  );
});

it.each([
  ['', 'the statement gives no rows'],
  ['1\t2\n', 'the statement gives its rows in a format of its own: leave FORMAT out'],
  ['{"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":1}],"rows":1}', /a format of its own/],
])('%j is a fault', async (text, message) => {
  await expect(read(text, UTC)).rejects.toThrow(message);
});
