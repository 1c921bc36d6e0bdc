import { mask } from './mask';

it.each([
  ['secret-1234', '••••1234'],
  ['12345', '••••2345'],
  ['1234', '••••'],
  ['', '••••'],
  ['passwörd😀', '••••örd😀'],
])('%s is shown as %s', (secret, shown) => {
  expect(mask(secret)).toBe(shown);
});
