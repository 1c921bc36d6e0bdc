import { crc32 } from 'node:zlib';
import { isApiKeyForm, isBootstrapKeyForm, newApiKey, newWriteKey } from './api-key';
import { randomBase62, toBase62 } from './base62';

const swapAt = (key: string, index: number): string =>
  key.slice(0, index) + (key[index] === 'a' ? 'b' : 'a') + key.slice(index + 1);

const many = <T>(make: () => T): T[] => Array.from({ length: 500 }, make);

describe('an API key', () => {
  it('is pk_ and 40 base62 characters, and of its own form', () => {
    for (const key of many(newApiKey)) {
      expect(key).toMatch(/^pk_[0-9A-Za-z]{40}$/);
      expect(isApiKeyForm(key)).toBe(true);
    }
  });

  it('ends with the CRC-32 of its random part in base62, digits before capitals before small letters', () => {
    const random = '0'.repeat(34);
    const check = toBase62(crc32(random), 6);
    expect(isApiKeyForm(`pk_${random}${check}`)).toBe(true);
    expect(check).toMatch(/^[0-4]/);
  });

  it('is refused with any one character changed', () => {
    const key = newApiKey();
    const changed = Array.from({ length: 40 }, (_, index) => swapAt(key, index + 3));
    expect(changed.filter(isApiKeyForm)).toEqual([]);
  });

  it.each([
    ['a blank behind', (key: string) => `${key} `],
    ['no prefix', (key: string) => key.slice(3)],
    ['another prefix', (key: string) => `sk_${key.slice(3)}`],
    ['a line break behind', (key: string) => `${key}\n`],
  ])('is refused with %s', (_, change) => expect(isApiKeyForm(change(newApiKey()))).toBe(false));
});

describe('a bootstrap key', () => {
  const rows: [string, string, boolean][] = [
    ['a whole API key', newApiKey(), true],
    ['an API key with a typo', swapAt(newApiKey(), 10), false],
    ['pk_ and anything else', `pk_${'x'.repeat(40)}`, false],
    ['31 characters', 'x'.repeat(31), false],
    ['32 characters', 'x'.repeat(32), true],
    ['128 characters', 'x'.repeat(128), true],
    ['129 characters', 'x'.repeat(129), false],
    ['every unreserved character of a URL', `-._~09AZaz${'x'.repeat(22)}`, true],
    ['a character that a URL escapes', `+${'x'.repeat(32)}`, false],
    ['pk without its line', `pk${'x'.repeat(32)}`, true],
  ];
  it.each(rows)('%s (%s): %s', (_, key, expected) =>
    expect(isBootstrapKeyForm(key)).toBe(expected),
  );
});

it('makes write keys of 32 base62 characters, no two alike', () => {
  const keys = many(newWriteKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.filter((key) => !/^[0-9A-Za-z]{32}$/.test(key))).toEqual([]);
});

it('draws each of the 62 characters as often as any other', () => {
  const drawn = randomBase62(62_000);
  const counts = new Map<string, number>();
  for (const character of drawn) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
});

it.each([
  [0, 6, '000000'],
  [61, 1, 'z'],
  [62, 2, '10'],
  [10, 1, 'A'],
  [36, 1, 'a'],
  [2 ** 32 - 1, 6, '4gfFC3'],
])('%d in %d digits is %s', (value, length, expected) => {
  expect(toBase62(value, length)).toBe(expected);
});
