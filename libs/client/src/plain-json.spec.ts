import { readPlainJson, writePlainJson } from './plain-json';

it.each<[text: string, value: unknown]>([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740991', -9007199254740991],
  ['-9007199254740992', -9007199254740992n],
  ['18446744073709551615', 18446744073709551615n],
  ['1.5', 1.5],
  ['null', null],
  ['true', true],
  ['"é"', 'é'],
  ['[1,[]]', [1, []]],
  ['{"a":{"b":[18446744073709551615]}}', { a: { b: [18446744073709551615n] } }],
])('reads and writes %s', (text, value) => {
  expect(readPlainJson(text)).toEqual(value);
  expect(writePlainJson(value)).toBe(text);
});

it('leaves out members that are undefined', () => {
  expect(writePlainJson({ a: undefined, b: null })).toBe('{"b":null}');
});
