import { hasPlainNumbers, MAX_PLAIN_DIGITS, SMALL_EXPONENT } from './plain-numbers';

const LIMIT = String(MAX_PLAIN_DIGITS);
const BEYOND = String(MAX_PLAIN_DIGITS + 1);

it.each([
  '{}',
  '{"a":1.5,"b":[-3,true,false,null]}',
  `{"a":1e${LIMIT}}`,
  `[1e-${LIMIT}]`,
  `[1E+${LIMIT}]`,
  `["1e${BEYOND}"]`,
  `{"1e${BEYOND}":1}`,
  String.raw`["\"1e${BEYOND}",1e2]`,
  String.raw`["\\",1e2,"\\"]`,
  `[1e${LIMIT},${Array.from({ length: 5_000 }, () => `1e-${String(SMALL_EXPONENT)}`).join(',')}]`,
])('takes %.60s', (json) => {
  expect(hasPlainNumbers(json)).toBe(true);
});

it.each([
  `{"a":1e${BEYOND}}`,
  `[1e-${BEYOND}]`,
  `[-1.5E+${BEYOND}]`,
  `[1e${LIMIT},1e${String(SMALL_EXPONENT + 1)}]`,
  `["1e9",1e${BEYOND},"\\""]`,
  String.raw`["\\",1e${BEYOND}]`,
  `[${Array.from({ length: 70 }, () => '1e1000').join(',')}]`,
  `[1e${'9'.repeat(400)}]`,
])('refuses %.60s', (json) => {
  expect(hasPlainNumbers(json)).toBe(false);
});

it('reads texts of any length: one is passed over with what looks like a number in it', () => {
  const long = JSON.stringify(`1e${BEYOND} ${'\\" x'.repeat(6_000_000)}`);
  expect(hasPlainNumbers(`[${long},1e5]`)).toBe(true);
  expect(hasPlainNumbers(`[${long},1e${BEYOND}]`)).toBe(false);
});
