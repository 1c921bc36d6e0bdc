import { excerptOf } from './excerpt';

const bytes = (text: string): Buffer => Buffer.from(text);

it.each([
  [2_048, false],
  [2_049, true],
])('of %d bytes is cut: %p', (length, isCut) => {
  const found = excerptOf(bytes('x'.repeat(length)));
  expect([found.excerpt.length, found.isCut]).toEqual([2_048, isCut]);
});

it('ends between characters', () => {
  for (const before of [0, 1, 2, 3]) {
    const text = 'x'.repeat(2_044 + before) + '😀'.repeat(9);
    const { excerpt } = excerptOf(bytes(text));
    expect(excerpt).toBe('x'.repeat(2_044 + before) + (before === 0 ? '😀' : ''));
  }
});

it('is the part of a body that is the event', () => {
  expect(excerptOf(bytes('[{"a":1},{"b":2}]'), 9, 7)).toEqual({ excerpt: '{"b":2}', isCut: false });
});
