import { shownResult } from './shown-result';

it.each<[given: string, shown: string | undefined]>([
  ['{"a":1.50,"b":[null,true,"x"]}', '{"a":1.50,"b":[null,true,"x"]}'],
  ['{"a":"\\u0001b12345678901234567890"}', '{"a":12345678901234567890}'],
  ['{"a":"\\u0001b1e400"}', '{"a":"1e400"}'],
  ['{"a":"\\u0001m1.50","b":"\\u0001mNaN"}', '{"a":1.5,"b":"NaN"}'],
  ['{"a":"\\u0001fNaN"}', '{"a":"NaN"}'],
  ['{"a":"\\u0001d2026-01-01T00:00:00Z"}', '{"a":"2026-01-01T00:00:00Z"}'],
  ['{"a":"\\u0001s\\u0001x"}', '{"a":"\\u0001x"}'],
  ['{"a":"\\u0001xa function"}', '{"a":"a function"}'],
  ['{"a":["\\u0001M",{"k":"\\u0001b1"}]}', '{"a":{"k":1}}'],
  ['{"a":["\\u0001M"]}', '{"a":[""]}'],
  ['{"a":', undefined],
  ['{"a":1,"a":2}', undefined],
])('shows %s', (given, shown) => {
  expect(shownResult(given)).toBe(shown);
});
