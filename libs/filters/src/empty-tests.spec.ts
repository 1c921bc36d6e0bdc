import { JsonNumber, JsonText, newRecord } from '@penstock/schema';
import { emptyArray, emptyJson, emptyMap, emptyObject, emptyText } from './empty-tests';
import type { Test } from './test';

const full = Object.assign(newRecord(), { a: null });

it.each<[test: Test, value: unknown, expected: boolean]>([
  [emptyText, '', true],
  [emptyText, ' ', false],
  [emptyText, [], false],
  [emptyArray, [], true],
  [emptyArray, [null], false],
  [emptyArray, '', false],
  [emptyMap, new Map(), true],
  [emptyMap, new Map([['a', 'b']]), false],
  [emptyMap, newRecord(), false],
  [emptyObject, newRecord(), true],
  [emptyObject, full, false],
  [emptyObject, [], false],
  [emptyObject, new Map(), false],
  [emptyObject, '', false],
  [emptyObject, null, false],
  [emptyJson, '', true],
  [emptyJson, [], true],
  [emptyJson, new Map(), true],
  [emptyJson, 'a', false],
  [emptyJson, [''], false],
  [emptyJson, new Map([['', '']]), false],
  [emptyJson, new JsonNumber('0'), false],
  [emptyJson, JsonText.trusted(''), false],
  [emptyJson, false, false],
])('%p of %p is %s', (test, value, expected) => {
  expect(test(value)).toBe(expected);
});
