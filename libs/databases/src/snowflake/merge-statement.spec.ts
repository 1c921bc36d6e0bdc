import { newRecord, type RecordValue } from '@penstock/schema';
import type { MergedColumn } from '../merging/merged-columns';
import { mergeStatement, stageStatements } from './merge-statement';
import type { MergeTable } from './merge-table';

const key: MergedColumn = {
  ...{ property: 'id', name: 'ID', nullable: false },
  type: { kind: 'string' },
};
const at: MergedColumn = {
  ...{ property: 'at', name: 'a"t', nullable: true },
  type: { kind: 'datetime' },
};
const data: MergedColumn = {
  ...{ property: 'data', name: 'DATA', nullable: true },
  type: { kind: 'json' },
};
const casts = new Map([
  ['ID', 'VARCHAR(8)'],
  ['a"t', 'TIMESTAMP_NTZ(3)'],
  ['DATA', 'ARRAY'],
]);
const table: MergeTable = {
  ...{ key, columns: [key, at, data], place: '"D"."S"."T"', stage: 'STAGE' },
  castOf: ({ name }) => casts.get(name) ?? '',
};
const row = (values: object): { row: number; values: RecordValue } => ({
  row: 0,
  values: Object.assign(newRecord(), values),
});

it('merges what is staged, with the types of the columns', () => {
  expect(mergeStatement(table, { columns: [key, at, data] }).split('\n')).toEqual([
    'MERGE INTO "D"."S"."T" AS t',
    'USING (SELECT C0 AS C0, CAST(C1 AS TIMESTAMP_NTZ(3)) AS C1, CAST(PARSE_JSON(C2) AS ARRAY) AS C2 FROM STAGE) AS s',
    'ON t."ID" = s.C0',
    'WHEN MATCHED THEN UPDATE SET "a""t" = s.C1, "DATA" = s.C2',
    'WHEN NOT MATCHED THEN INSERT ("ID", "a""t", "DATA")',
    'VALUES (s.C0, s.C1, s.C2)',
  ]);
});

it('changes nothing where there is nothing but the key', () => {
  expect(mergeStatement(table, { columns: [key] })).not.toContain('UPDATE');
});

it('stages values as texts, in as few requests as the binds let it', () => {
  const rows = Array.from({ length: 25_001 }, () => row({ id: 'x', at: '2024-01-01T00:00:00.5Z' }));
  const statements = [...stageStatements(table, { columns: [key, at], rows })];
  expect(statements.map(({ binds }) => binds.length)).toEqual([25_000, 1]);
  expect(statements[1]).toEqual({
    text: 'INSERT INTO STAGE (C0, C1) VALUES (?, ?)',
    binds: [['x', '2024-01-01 00:00:00.5']],
  });
});

it('stages large rows in requests of their own, and the absence of a value as such', () => {
  const large = 'x'.repeat(4_194_304);
  const rows = [
    row({ id: 'a', at: null }),
    row({ id: large, at: null }),
    row({ id: 'b', at: null }),
  ];
  const statements = [...stageStatements(table, { columns: [key, at], rows })];
  expect(statements.map(({ binds }) => binds.map(([id]) => id?.length))).toEqual([
    [1],
    [large.length],
    [1],
  ]);
  expect(statements[0]?.binds).toEqual([['a', null]]);
});
