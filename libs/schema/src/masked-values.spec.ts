import { maskedValues } from './masked-values';

it.each([
  ['{"a":"Ada","b":12345678901234567890,"c":true}', '{"a":"••••","b":"••••","c":"••••"}'],
  ['{"a":{"b":[1,"x",null,{}]},"c":[]}', '{"a":{"b":["••••","••••",null,{}]},"c":[]}'],
  ['null', 'null'],
  ['"Ada"', '"••••"'],
])('%s becomes %s', (text, masked) => {
  expect(maskedValues(text)).toBe(masked);
});
