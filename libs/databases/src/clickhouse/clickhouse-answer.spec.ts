import { compileCodec } from '@penstock/schema';
import { Readable } from 'node:stream';
import { AnswerLimit } from '../database/answer-limit';
import type { DatabaseFault } from '../database/database-fault';
import { ReadColumns } from '../database/read-columns';
import { rowsOf } from '../database/rows-of';
import { type Cell, ClickhouseAnswer } from './clickhouse-answer';
import { clickhouseCounterpart } from './column-types';

const META =
  '"meta":[{"name":"id","type":"UInt8"},{"name":"m","type":"Map(String, UInt8)"}],"data":';

/** A JSON text of each record of an answer, or its error. */
const records = async (body: string): Promise<readonly string[]> => {
  const limit = new AnswerLimit();
  limit.beginRows();
  const answer = await ClickhouseAnswer.of(Readable.from([Buffer.from(body)]), limit);
  const times = { isUtc: true, zone: 'UTC' };
  const rows = rowsOf({
    columns: new ReadColumns<Cell>(
      answer.columns.map(({ name, type }) => ({ name, ...clickhouseCounterpart(type, times) })),
    ),
    batches: answer.batches(),
    faultOf: (error) => error as DatabaseFault,
    close: () => Promise.resolve(),
  });
  const { encode } = compileCodec(rows.schema);
  const read: string[] = [];
  for await (const batch of rows.records)
    for (const record of batch)
      read.push(
        'error' in record ? `row ${String(record.row)}: ${record.error}` : encode(record.values),
      );
  return read;
};

it.each([
  ['a key of a map twice', '[2,{"a":1,"a":2}]', 'a member name is repeated at offset 14'],
  ['a number of another form', '[2,{"a":nan}]', 'a value is expected at offset 8'],
])('%s is an error of its row', async (_, row, problem) => {
  const body = `{${META}[[1,{"a":1}],${row},[3,{"b":1}]],"rows":3}`;
  expect(await records(body)).toEqual([
    '{"id":1,"m":{"a":1}}',
    `row 2: is not JSON that can be taken: ${problem}`,
    '{"id":3,"m":{"b":1}}',
  ]);
});

it('an answer of one row that cannot be read is whole', async () => {
  expect(await records(`{${META}[[1,{"a":1,"a":2}]],"rows":1}`)).toEqual([
    expect.stringMatching(/^row 1: is not JSON/),
  ]);
});

it.each([
  ['columns that cannot be read', '{"meta":[{"name":"a","name":"b"}],"data":[],"rows":0}'],
  ['rows that are no lists', `{${META}[{"id":1}],"rows":1}`],
])('%s are a fault of the statement', async (_, body) => {
  await expect(records(body)).rejects.toMatchObject({ kind: 'InvalidQuery' });
});
