import type { Test } from './test';
import { containsText, endsWithText, startsWithText } from './text-tests';

type Make = (operand: string) => Test;

it.each<[make: Make, value: unknown, operand: string, expected: boolean]>([
  [containsText, 'xabcx', 'abc', true],
  [containsText, 'xABCx', 'abc', false],
  [containsText, '', 'abc', false],
  [containsText, 'abc', '', true],
  [containsText, 'a😀b', '😀', true],
  [containsText, 'a😀b', '\ud83d', false],
  [containsText, 'a😀b', '\ude00', false],
  [containsText, 'a😀b', '\ude00b', false],
  [containsText, 5, '5', false],
  [containsText, ['abc'], 'abc', false],
  [containsText, null, 'null', false],
  [containsText, undefined, 'undefined', false],
  [startsWithText, 'abcx', 'abc', true],
  [startsWithText, 'xabc', 'abc', false],
  [startsWithText, '😀b', '😀', true],
  [startsWithText, '😀b', '\ud83d', false],
  [startsWithText, 5, '5', false],
  [endsWithText, 'xabc', 'abc', true],
  [endsWithText, 'abcx', 'abc', false],
  [endsWithText, 'b😀', '😀', true],
  [endsWithText, 'b😀', '\ude00', false],
  [endsWithText, null, 'l', false],
])('%p of %p and %p is %s', (make, value, operand, expected) => {
  expect(make(operand)(value)).toBe(expected);
});
