import { BoundedCache } from './bounded-cache';

it('keeps the entries that were used last', () => {
  const cache = new BoundedCache<string, number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const) {
    cache.set(key, value);
    expect(cache.get('a')).toBe(1);
  }
  expect(cache.get('c')).toBe(3);
});

it('drops entries that were not used', () => {
  const cache = new BoundedCache<number, number>(10);
  for (let key = 0; key < 1_000; key += 1) cache.set(key, key);
  const kept = Array.from({ length: 1_000 }, (_, key) => cache.get(key)).filter(
    (each) => each !== undefined,
  );
  expect(kept.length).toBeGreaterThanOrEqual(10);
  expect(kept.length).toBeLessThanOrEqual(22);
  expect(cache.get(0)).toBeUndefined();
});
