import { told } from './told';

it.each([
  ['no user "ada"', '', 'no user "ada"'],
  ['no database "secret"', 'secret', 'no database "••••"'],
  ['x'.repeat(501), '', 'x'.repeat(500)],
  ['a\0b\ud800', '', 'a\ufffdb\ufffd'],
])('%j with the password %j is told as %j', (message, password, text) => {
  expect(told(message, password)).toBe(text);
});
