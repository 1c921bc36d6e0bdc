import { cellText } from './cell-text';

it.each([
  [23, null, 'null'],
  [16, 't', 'true'],
  [16, 'f', 'false'],
  [20, '-9223372036854775808', '-9223372036854775808'],
  [1_700, '123456789012345678901234567890.10', '123456789012345678901234567890.10'],
  [701, '1e+300', '1e+300'],
  [701, '-1.5e-07', '-1.5e-07'],
  [701, 'NaN', '"NaN"'],
  [1_700, '-Infinity', '"-Infinity"'],
  [114, '{ "b": 1.10, "a": [null] }', '{"b":1.10,"a":[null]}'],
  [3_802, '12345678901234567890', '12345678901234567890'],
  [114, 'not json', '"not json"'],
  [25, '12', '"12"'],
  [25, 'a"b\n', String.raw`"a\"b\n"`],
  [1_007, '{1,2}', '"{1,2}"'],
  [23, '007', '"007"'],
])('a value of type %i: %j', (type, text, json) => {
  expect(cellText(type, text)).toBe(json);
  expect(() => JSON.parse(json) as unknown).not.toThrow();
});
