import { randomUUID } from 'node:crypto';
import { IdTable } from './id-table';

it('gives each id a place of its own, and finds no other', () => {
  const table = new IdTable();
  const ids = Array.from({ length: 5_000 }, () => randomUUID() as string);
  for (const [place, id] of ids.entries()) {
    expect(table.find(id)).toBeUndefined();
    expect(table.add(id)).toBe(place);
    expect(table.add(id)).toBe(place);
  }
  expect(table.size).toBe(ids.length);
  expect(ids.every((id, place) => table.find(id) === place)).toBe(true);
  expect(ids.every((id, place) => table.digitsAt(place) === id.replaceAll('-', ''))).toBe(true);
  expect(table.find(randomUUID())).toBeUndefined();
});

it('keeps apart ids whose words are the same in another order', () => {
  const table = new IdTable();
  const words = ['0000000a', 'ffffffff', '80000000', '00000000'];
  const turned = words.map((_, by) => [...words.slice(by), ...words.slice(0, by)].join(''));
  expect(turned.map((id) => table.add(id))).toEqual([0, 1, 2, 3]);
  expect(turned.map((id) => table.find(id))).toEqual([0, 1, 2, 3]);
});

it.each(['', 'x'.repeat(32), 'a'.repeat(31), 'A'.repeat(32)])('refuses %j', (id) => {
  const table = new IdTable();
  expect(table.find(id)).toBeUndefined();
  expect(() => table.add(id)).toThrow(RangeError);
});
