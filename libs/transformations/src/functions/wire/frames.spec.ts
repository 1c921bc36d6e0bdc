import { frame, FrameReader, ProtocolError } from './frames';

const MESSAGES = [
  { head: { a: 1 }, body: '' },
  { head: 'é\u0001', body: 'é' },
  { head: [], body: 'x'.repeat(5000) },
  { head: null, body: '' },
];

it.each([1, 3, 7, 4096, 1_000_000])('reassembles messages from chunks of %i bytes', (size) => {
  const bytes = Buffer.concat(MESSAGES.map(({ head, body }) => frame(head, Buffer.from(body))));
  const reader = new FrameReader(6000);
  const seen: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const { head, body } of reader.push(bytes.subarray(at, at + size)))
      seen.push({ head, body: Buffer.from(body).toString() });
  expect(seen).toEqual(MESSAGES);
});

it('accepts a frame at the limit and refuses one byte more, before it has arrived', () => {
  const body = Buffer.alloc(10);
  expect(new FrameReader(16).push(frame('', body))).toMatchObject([{ head: '' }]);
  const start = frame('', Buffer.alloc(11)).subarray(0, 4);
  expect(() => new FrameReader(16).push(start)).toThrow(ProtocolError);
});

it.each([
  ['has a head that is no JSON', [0, 0, 0, 5, 0, 0, 0, 1, 0x7b]],
  ['has no head', [0, 0, 0, 4, 0, 0, 0, 0]],
  ['is shorter than its head', [0, 0, 0, 6, 0, 0, 0, 3, 0x31, 0x31]],
  ['is shorter than the length of its head', [0, 0, 0, 3, 0, 0, 0]],
])('refuses a frame that %s', (_, bytes) => {
  expect(() => new FrameReader(100).push(Buffer.from(bytes))).toThrow(ProtocolError);
});
