import { GrowingBuffer } from './growing-buffer';

it('gives what was added, whatever the parts, once', () => {
  const buffer = new GrowingBuffer();
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
  for (let at = 0; at < bytes.length; at += 1 + (at % 7))
    buffer.add(bytes.subarray(at, at + 1 + (at % 7)));
  expect(buffer.length).toBe(bytes.length);
  expect(buffer.take().equals(bytes)).toBe(true);
  expect([buffer.length, buffer.take().length]).toEqual([0, 0]);
});
