import { nearestName } from './nearest-name';

const NAMES = ['anonymousId', 'email', 'first_name', 'traits', 'lower', 'id', 'if'];

it.each<[name: string, meant: string | undefined]>([
  ['emial', 'email'],
  ['Email', 'email'],
  ['firstname', 'first_name'],
  ['traits', 'traits'],
  ['trait', 'traits'],
  ['triats', 'traits'],
  ['lowwer', 'lower'],
  ['Lower', 'lower'],
  ['anonymousID', 'anonymousId'],
  ['anonymous_id', 'anonymousId'],
  ['ID', 'id'],
  ['something', undefined],
  ['', undefined],
  ['x', undefined],
  ['ab', undefined],
])('%j is near to %j', (name, meant) => {
  expect(nearestName(name, NAMES)).toBe(meant);
});

it('prefers the nearest of several', () => {
  expect(nearestName('email', ['emails', 'e_mail', 'email_', 'EMAIL'])).toBe('EMAIL');
});

it('does not look for a name that is too long to be a slip', () => {
  const long = 'x'.repeat(65);
  expect(nearestName(long, [long])).toBeUndefined();
  expect(nearestName(long.slice(1), [long, long.slice(1)])).toBe(long.slice(1));
});
