import { excerpt } from './excerpt';

it.each([
  ['', ''],
  ['not found', 'not found'],
  ['  a\r\n\tb  ', 'a b'],
  ['a\u0000b\u001bc\u0085d\u200be', 'abcde'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), 'x'.repeat(200)],
  ['😀'.repeat(201), '😀'.repeat(200)],
])('of %j is %j', (body, expected) => {
  expect(excerpt(body, [])).toBe(expected);
});

it('holds no secret, not even part of one at its end', () => {
  expect(excerpt('key=abcdef, again abcdef', ['abcdef', ''])).toBe('key=••••, again ••••');
  expect(excerpt(`${'x'.repeat(197)}abcdef`, ['abcdef'])).toBe(`${'x'.repeat(197)}•••`);
});
