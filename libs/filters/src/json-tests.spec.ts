import { parseJson } from '@penstock/schema';
import { jsonContains, jsonEqualsOneOf, jsonMomentOrder, jsonOrder } from './json-tests';

it.each<[json: string, operands: string[], expected: boolean]>([
  ['5', ['5'], true],
  ['5.0', ['5'], true],
  ['5', ['05'], false],
  ['5', ['+5'], false],
  ['"05"', ['05'], true],
  ['"5"', ['5'], true],
  ['"5"', ['5.0'], false],
  ['1e2', ['abc', '100'], true],
  ['12345678901234567890', ['12345678901234567891'], false],
  ['true', ['true'], false],
  ['null', ['null'], false],
  ['["5"]', ['5'], false],
  ['{}', ['{}'], false],
])('%s is one of %j: %s', (json, operands, expected) => {
  expect(jsonEqualsOneOf(operands)(parseJson(json))).toBe(expected);
});

it.each<[json: string, operand: string, expected: number]>([
  ['9', '10', -1],
  ['"9"', '10', 1],
  ['10.0', '10', 0],
  ['9', 'abc', NaN],
  ['"def"', '5', 1],
  ['true', '0', NaN],
  ['null', '0', NaN],
  ['[1]', '0', NaN],
  ['{}', '0', NaN],
])('%s stands to %p as %d', (json, operand, expected) => {
  expect(Math.sign(jsonOrder(operand)(parseJson(json)))).toBe(expected);
});

it.each<[json: string, expected: number]>([
  ['"2024-02-29T01:00:00+02:00"', -1],
  ['"2024-02-29"', 0],
  ['"2024-W10-1"', 1],
  ['"2024"', -1],
  ['"abc"', NaN],
  ['""', NaN],
  ['20240301', NaN],
  ['null', NaN],
  ['["2023-01-01"]', NaN],
])('%s stands to 29 February 2024 as %d', (json, expected) => {
  expect(Math.sign(jsonMomentOrder('2024-02-29T00:00:00Z')(parseJson(json)))).toBe(expected);
});

it.each<[json: string, operand: string, expected: boolean]>([
  ['"xabcx"', 'abc', true],
  ['"xABCx"', 'abc', false],
  ['["abc"]', 'abc', true],
  ['["xabcx"]', 'abc', false],
  ['[1,5.0]', '5', true],
  ['["5"]', '5', true],
  ['[[5]]', '5', false],
  ['[true,null,{}]', 'true', false],
  ['55', '5', false],
  ['true', 'true', false],
  ['{"abc":"abc"}', 'abc', false],
])('%s contains %p: %s', (json, operand, expected) => {
  expect(jsonContains(operand)(parseJson(json))).toBe(expected);
});
