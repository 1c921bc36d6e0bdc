import type { Type } from '@penstock/schema';
import { WarehouseFault } from '../../platform/warehouse';
import type { ValueColumn } from '../../profiles/value-columns';
import { recordReader, valuesSql } from './column-values';

const TEXT: Type = { kind: 'string' };
const JSON_TYPE: Type = { kind: 'json' };

const columnOf = (name: string, type: Type = TEXT): ValueColumn => ({ name, path: [name], type });

const texts = (count: number): readonly ValueColumn[] =>
  Array.from({ length: count }, (_, at) => columnOf(`t${String(at)}`));

/** What PostgreSQL answers for values that are all texts, in arrays of so many. */
const answerOf = (count: number, size: number): string => {
  const arrays: string[][] = [];
  for (let at = 0; at < count; at += 1)
    (arrays[Math.floor(at / size)] ??= []).push(`v${String(at)}`);
  return JSON.stringify(arrays);
};

it.each([
  [0, 0],
  [1, 1],
  [100, 1],
  [101, 2],
  [200, 2],
  [201, 3],
])(
  '%i values are read with %i calls, none with more arguments than a function has',
  (count, calls) => {
    const [whole, ...parts] = valuesSql(texts(count)).split('json_build_array(').slice(1);
    expect(whole).toBe(calls === 0 ? ')::text' : '');
    expect(parts).toHaveLength(calls);
    for (const part of parts) expect(part.split('"').length - 1).toBeLessThanOrEqual(200);
    const record = recordReader('t', texts(count))(answerOf(count, 100));
    expect(Object.entries(record)).toEqual(
      Array.from({ length: count }, (_, at) => [`t${String(at)}`, `v${String(at)}`]),
    );
  },
);

it('tells JSON null, which is a value, from none', () => {
  const read = recordReader('t', [columnOf('a', JSON_TYPE), columnOf('b', JSON_TYPE)]);
  const record = read(JSON.stringify([['null', null]]));
  expect(Object.keys(record)).toEqual(['a']);
});

it('reads JSON that nests as deep as JSON may', () => {
  const deep = '['.repeat(1_000) + ']'.repeat(1_000);
  const record = recordReader('t', [columnOf('a', JSON_TYPE)])(JSON.stringify([[deep]]));
  expect(record['a']).toMatchObject({ text: deep });
});

it.each([
  '',
  'x',
  '{}',
  '[]',
  '[["a"]]',
  '[["a","b","c"]]',
  '[["a"],1]',
  '[["a",5]]',
  '[["a",["b"]]]',
])('refuses %j, which no warehouse answers for two texts', (text) => {
  expect(() => recordReader('t', texts(2))(text)).toThrow(WarehouseFault);
});
