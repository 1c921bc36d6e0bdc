import type { RecordColumns } from '@penstock/contracts';
import {
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  type Schema,
  type Value,
} from '@penstock/schema';
import { columnReader } from './column-reader';

const schemaOf = (idKind: object, timeKind: object): Schema =>
  parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [
          { name: 'id', type: idKind, nullable: true },
          { name: 'at', type: timeKind, nullable: true },
        ],
      }),
    ),
  );

const TEXT = { kind: 'string' };
const COLUMNS: RecordColumns = { userID: 'id', updatedAt: 'at', updatedAtFormat: 'ISO8601' };

const readerOf = (idKind: object, timeKind: object, columns: Partial<RecordColumns> = {}) =>
  columnReader({ ...COLUMNS, ...columns }, schemaOf(idKind, timeKind), 'file', 'line');

const read = (
  [idKind, id]: readonly [object, Value | undefined],
  [timeKind, at]: readonly [object, Value | undefined] = [TEXT, null],
  columns: Partial<RecordColumns> = {},
) => {
  const values = newRecord();
  if (id !== undefined) values['id'] = id;
  if (at !== undefined) values['at'] = at;
  return readerOf(idKind, timeKind, columns)({ row: 7, values });
};

const json = (text: string): JsonText => JsonText.of(parseJson(text));

it.each<[object, Value | undefined, string | null]>([
  [TEXT, 'u1', 'u1'],
  [TEXT, '', null],
  [TEXT, null, null],
  [TEXT, undefined, null],
  [{ kind: 'int', bitSize: 64 }, 9_007_199_254_740_993n, '9007199254740993'],
  [{ kind: 'json' }, json('"u1"'), 'u1'],
  [{ kind: 'json' }, json('12345678901234567890'), '12345678901234567890'],
  [{ kind: 'json' }, json('null'), null],
  [{ kind: 'json' }, json('{"id":1}'), null],
])('of a column %j, %p is the id %p', (kind, value, id) => {
  const record = read([kind, value]);
  expect(record.id).toBe(id);
  expect(record.fault === null).toBe(id !== null);
});

it.each<[object, Value | undefined, string | null, string | null]>([
  [TEXT, '2026-03-01T09:30:00.1234569Z', 'ISO8601', '2026-03-01T09:30:00.123456Z'],
  [TEXT, '2026-03-01', 'ISO8601', '2026-03-01T00:00:00.000000Z'],
  [TEXT, '01.03.2026', '%d.%m.%Y', '2026-03-01T00:00:00.000000Z'],
  [TEXT, '', 'ISO8601', null],
  [TEXT, null, 'ISO8601', null],
  [{ kind: 'json' }, json('"2026-03-01"'), 'ISO8601', '2026-03-01T00:00:00.000000Z'],
  [{ kind: 'datetime' }, '2026-03-01T09:30:00.123456789Z', null, '2026-03-01T09:30:00.123456Z'],
  [{ kind: 'date' }, '2026-03-01', null, '2026-03-01T00:00:00.000000Z'],
  [{ kind: 'datetime' }, null, null, null],
])('of a column %j, %p in the form %p is the time %p', (kind, value, updatedAtFormat, time) => {
  const record = read([TEXT, 'u1'], [kind, value], { updatedAtFormat });
  expect([record.updatedAt, record.fault]).toEqual([time, null]);
});

const NO_ID = 'the id column is empty';
const BAD = 'column "x" is not UTF-8, or holds NUL';
const TIME = '2026-03-01T00:00:00.000000Z';

it.each<[Readonly<Record<string, Value>> | undefined, string | null, string | null, string]>([
  [{ id: 'u1', at: '2026-03-01' }, 'u1', TIME, BAD],
  [{ id: 'u1' }, 'u1', null, BAD],
  [{ at: '2026-03-01' }, null, TIME, BAD],
  [{ id: '', at: '2026-03-01' }, null, TIME, NO_ID],
  [undefined, null, null, BAD],
])('of a row of which only %j can be read, the id is %p', (readable, id, updatedAt, message) => {
  const values = readable && { readable: Object.assign(newRecord(), readable) };
  const record = readerOf(TEXT, TEXT)({ row: 7, error: BAD, ...values });
  expect(record).toMatchObject({ id, updatedAt, fault: { message, place: 'line 7' } });
});

it.each<[object, Value]>([
  [TEXT, 'yesterday'],
  [{ kind: 'json' }, json('[]')],
])('of a column %j, %p is no time, and the record keeps its id', (kind, value) => {
  const record = read([TEXT, 'u1'], [kind, value]);
  expect(record).toMatchObject({ id: 'u1', fault: { code: 'InvalidUpdateTime' } });
  expect(record.fault?.message).not.toContain('yesterday');
});
