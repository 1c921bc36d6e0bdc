import { RecentlyUsed } from './recently-used';

const cache = (maxWeight: number): RecentlyUsed<string, number> =>
  new RecentlyUsed(maxWeight, (weight) => weight);

const keysIn = (held: RecentlyUsed<string, number>, ...keys: readonly string[]): string[] =>
  keys.filter((key) => held.get(key) !== undefined);

it('keeps all entries up to half of the weight', () => {
  const held = cache(6);
  for (const key of ['a', 'b', 'c']) held.set(key, 1);
  expect(keysIn(held, 'a', 'b', 'c', 'd')).toEqual(['a', 'b', 'c']);
});

it('removes entries that were not used while half of the weight was added', () => {
  const held = cache(4);
  for (const key of ['a', 'b', 'c']) held.set(key, 1);
  expect(held.get('a')).toBe(1);
  for (const key of ['d', 'e']) held.set(key, 1);
  expect(keysIn(held, 'a', 'b', 'c', 'd', 'e')).toEqual(['a', 'd', 'e']);
});

it('never exceeds its weight by much, and keeps entries that are in use', () => {
  const held = cache(100);
  held.set('used', 1);
  for (let index = 0; index < 10_000; index += 1) {
    held.set(String(index), 1);
    expect(held.get('used')).toBe(1);
    expect(held.size).toBeLessThanOrEqual(102);
  }
});

it('keeps an entry heavier than the limit until another one is added', () => {
  const held = cache(4);
  held.set('heavy', 100);
  expect(held.get('heavy')).toBe(100);
  held.set('other', 100);
  held.set('third', 100);
  expect(keysIn(held, 'heavy', 'third')).toEqual(['third']);
});

it('replaces the value of a key', () => {
  const held = cache(10);
  held.set('a', 1);
  held.set('a', 2);
  expect([held.get('a'), held.size]).toEqual([2, 1]);
});
