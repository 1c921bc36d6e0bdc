import { frame, FrameReader, ProtocolError } from './frames';

const MESSAGES = [{ a: 1 }, 'é\u0001', [], null, { text: 'x'.repeat(5000) }];

it.each([1, 3, 7, 4096, 1_000_000])('gives the messages back from pieces of %i bytes', (size) => {
  const bytes = Buffer.concat(MESSAGES.map(frame));
  const reader = new FrameReader(6000);
  const seen: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size)
    seen.push(...reader.push(bytes.subarray(at, at + size)));
  expect(seen).toEqual(MESSAGES);
});

it('takes a frame at the limit and refuses one byte more, before it has arrived', () => {
  expect(new FrameReader(12).push(frame('0123456789'))).toEqual(['0123456789']);
  const head = frame('0123456789a').subarray(0, 4);
  expect(() => new FrameReader(12).push(head)).toThrow(ProtocolError);
});

it('refuses a frame that is no JSON', () => {
  expect(() => new FrameReader(100).push(Buffer.from([0, 0, 0, 1, 0x7b]))).toThrow(ProtocolError);
});
