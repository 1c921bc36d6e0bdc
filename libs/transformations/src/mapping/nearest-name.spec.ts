import { suggestion } from './nearest-name';

const NAMES = ['email', 'first_name', 'traits', 'lower', 'id', 'if'];

it.each<[name: string, meant: string | undefined]>([
  ['emial', 'email'],
  ['Email', 'email'],
  ['firstname', 'first_name'],
  ['trait', 'traits'],
  ['lowwer', 'lower'],
  ['Lower', 'lower'],
  ['something', undefined],
  ['x', undefined],
  ['ab', undefined],
])('%s', (name, meant) => {
  expect(suggestion(name, NAMES)).toBe(meant === undefined ? '' : `; did you mean "${meant}"?`);
});
