import fc from 'fast-check';
import { codePointLength, compareCodePoints } from './code-points';

/** Few letters, so that strings share beginnings, on both sides of the surrogates. */
const text = (): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'))
    .map((letters) => letters.join(''));

it.each([
  ['', 0],
  ['aè', 2],
  ['😀', 1],
  ['e\u0301', 2],
  ['\ud800', 1],
  ['\ud800\ud83d\ude00\udc00', 3],
])('%j has %i code points', (input, length) => expect(codePointLength(input)).toBe(length));

it.each([
  ['a', 'b', -1],
  ['a', 'a', 0],
  ['a', 'ab', -1],
  ['\uffff', '😀', -1],
  ['\ue000', '\ud83d\ude00', -1],
  ['\ud7ff', '\ue000', -1],
  ['😀', '😁', -1],
])('%j compared with %j is %i', (a, b, order) => {
  expect(Math.sign(compareCodePoints(a, b))).toBe(order);
  expect(Math.sign(compareCodePoints(b, a)) + 0).toBe(0 - order + 0);
});

it('counts and orders as the list of code points does, which is the order of UTF-8 bytes', () =>
  fc.assert(
    fc.property(text(), text(), (a, b) => {
      expect(codePointLength(a)).toBe(Array.from(a).length);
      expect(Math.sign(compareCodePoints(a, b))).toBe(
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      );
    }),
  ));
