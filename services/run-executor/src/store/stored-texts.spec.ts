import { storedError, storedWarnings } from './stored-texts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, n) => `warning ${n}`);

it('keeps a hundred warnings, and says how many others there were', () => {
  expect(storedWarnings(texts(100))).toEqual(texts(100));
  expect(storedWarnings(texts(101))).toEqual([...texts(100), 'and 1 other warning']);
  expect(storedWarnings(texts(5_000))).toEqual([...texts(100), 'and 4900 other warnings']);
});

it('keeps the beginning of long texts, which PostgreSQL accepts', () => {
  expect(storedWarnings(['a'.repeat(1_000), 'b'.repeat(1_001)])).toEqual([
    'a'.repeat(1_000),
    'b'.repeat(1_000),
  ]);
  expect(storedError('a'.repeat(10_000))).toHaveLength(10_000);
  expect(storedError('a'.repeat(10_001))).toHaveLength(10_000);
  expect(storedError(`${'a'.repeat(9_999)}😀\0`)).toBe(`${'a'.repeat(9_999)}\uFFFD`);
  expect(storedError('a\0')).toBe('a\uFFFD');
});
