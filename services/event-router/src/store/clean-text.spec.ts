import { assert, property, string } from 'fast-check';
import { cleanText } from './clean-text';

it.each([
  ['', ''],
  ['a\0b', 'a\uFFFDb'],
  ['\uD800', '\uFFFD'],
  ['x\uDC00\uD800y', 'x\uFFFD\uFFFDy'],
  ['\u{1F600}', '\u{1F600}'],
])('cleans %j to %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

it('keeps valid text unchanged, and turns any other into valid text of equal length', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const clean = cleanText(text);
      expect(clean).not.toContain('\0');
      expect(Buffer.from(clean).toString()).toBe(clean);
      expect(clean).toHaveLength(text.length);
      if (Buffer.from(text).toString() === text && !text.includes('\0')) expect(clean).toBe(text);
    }),
  );
});
