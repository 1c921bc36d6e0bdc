import { plainException } from './plain-exception';

it.each([
  [
    'TypeError: ann@example.com is not a function (line 3, column 7)',
    'TypeError (line 3, column 7)',
  ],
  ['KeyError: ann (line 12)', 'KeyError (line 12)'],
  ['Exception: no\nlines: (line 1)', 'Exception (line 1)'],
  ['ValueError: (line 3) of ann', 'ValueError'],
  ['string "ann@example.com"', 'an exception'],
  ['ann@example.com: no (line 2, column 1)', 'an exception (line 2, column 1)'],
  ['HTTP Error: ann', 'an exception'],
  ['', 'an exception'],
])('of %j is left %j', (text, plain) => {
  expect(plainException(text)).toBe(plain);
});
