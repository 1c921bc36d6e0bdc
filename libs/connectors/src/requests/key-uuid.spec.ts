import { keyUuid } from './key-uuid';

const KEYS = Array.from({ length: 64 }, (_, n) => `key-${String(n)}`);

it.each(KEYS)('makes a UUID of version 8 of %s', (key) => {
  expect(keyUuid(key)).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

it('makes the same one of the same key, and another of another', () => {
  expect(keyUuid('a')).toBe(keyUuid('a'));
  expect(new Set(KEYS.map(keyUuid)).size).toBe(KEYS.length);
});
