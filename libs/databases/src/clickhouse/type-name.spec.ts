import { parseTypeName, quotedIn } from './type-name';

it.each<[text: string, name: string, parameters: string[]]>([
  ['UInt8', 'UInt8', []],
  ['Decimal(9, 2)', 'Decimal', ['9', '2']],
  ['Nullable(Decimal(9, 2))', 'Nullable', ['Decimal(9, 2)']],
  ['Map(String, Array(Nullable(UInt8)))', 'Map', ['String', 'Array(Nullable(UInt8))']],
  [
    "Enum8('a, b)' = 1, 'c\\'d' = -2, 'e''f' = 3)",
    'Enum8',
    ["'a, b)' = 1", "'c\\'d' = -2", "'e''f' = 3"],
  ],
  ["DateTime64(3, 'Europe/Rome')", 'DateTime64', ['3', "'Europe/Rome'"]],
  ['Tuple(a UInt8, `b,(` String)', 'Tuple', ['a UInt8', '`b,(` String']],
  ['what is this?', 'what is this?', []],
  ['', '', []],
])('%s is %s of %j', (text, name, parameters) => {
  expect(parseTypeName(text)).toEqual({ name, parameters });
});

it.each([
  ["'a' = 1", 'a'],
  ["'c\\'d' = -2", "c'd"],
  ["'e''f' = 3", "e'f"],
  ["'\\n\\\\'", '\n\\'],
  ['3', undefined],
])('%s begins with the text %j', (parameter, text) => {
  expect(quotedIn(parameter)).toBe(text);
});
