import { nearest } from './nearest';

const NAMES = ['anonymousId', 'category', 'traits', 'id'];

it.each<[word: string, expected: string | undefined]>([
  ['traits', 'traits'],
  ['trait', 'traits'],
  ['Traits', 'traits'],
  ['triats', 'traits'],
  ['anonymousID', 'anonymousId'],
  ['anonymous_id', 'anonymousId'],
  ['ID', 'id'],
  ['if', 'id'],
  ['', undefined],
  ['xy', undefined],
  ['profile', undefined],
])('%p is near to %p', (word, expected) => {
  expect(nearest(word, NAMES)).toBe(expected);
});

it('prefers the nearest of several', () => {
  expect(nearest('email', ['emails', 'e_mail', 'email_', 'EMAIL'])).toBe('EMAIL');
});

it('does not look for a word that is too long to be a slip', () => {
  const long = 'x'.repeat(65);
  expect(nearest(long, [long])).toBeUndefined();
  expect(nearest(long.slice(1), [long, long.slice(1)])).toBe(long.slice(1));
});
