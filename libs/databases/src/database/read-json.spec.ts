import { JsonText } from '@penstock/schema';
import { readJson } from './read-json';

const MAX = 4_194_304;

it('reads JSON up to its limit', () => {
  const text = `[${'1,'.repeat((MAX - 4) / 2)}11]`;
  expect(text).toHaveLength(MAX);
  expect((readJson(text) as JsonText).text).toBe(text);
});

it('refuses JSON above its limit, which might be more values than memory can hold', () => {
  expect(() => readJson(` [${'1,'.repeat((MAX - 4) / 2)}11]`)).toThrow(
    'has more than 4194304 characters',
  );
});
