import fc from 'fast-check';
import { AnswerLimit } from './answer-limit';
import { type Framing, WholeMessages } from './whole-messages';

/** Messages that begin with their length in two bytes; those of an odd length have a cell for each byte. */
const FRAMING: Framing = {
  headerBytes: 2,
  messageBytes: (bytes, start) => 2 + bytes.readUInt16BE(start),
  check: (_, start, end) => ((end - start) % 2 === 0 ? undefined : end - start),
};

const messageOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(2 + length, length % 251);
  bytes.writeUInt16BE(length);
  return bytes;
};

/** Messages as they are passed on when they come in pieces of these sizes, over and over. */
const passed = (bytes: Buffer, sizes: readonly number[], limit = new AnswerLimit()): Buffer => {
  const given: Buffer[] = [];
  const messages = new WholeMessages(FRAMING, limit, (whole) => given.push(Buffer.from(whole)));
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? bytes.length;
    messages.take(bytes.subarray(at, at + size));
    at += size;
  }
  return Buffer.concat(given);
};

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

it('passes on the same messages however they come', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 20 }), sizes, (lengths, pieces) => {
      const all = Buffer.concat(lengths.map(messageOf));
      expect(passed(all, pieces)).toEqual(all);
      const cut = Buffer.concat([all, messageOf(50).subarray(0, 30)]);
      expect(passed(cut, pieces)).toEqual(all);
    }),
  );
});

describe('limits', () => {
  // Each message counts 256 bytes more, and each cell 64.
  const limited = () => new AnswerLimit({ answerBytes: 1_000, rowBytes: 1_000 });

  it.each([
    ['one message', [1_000 - 256 - 2], [1_000 - 256 - 1]],
    ['two messages', [244, 240], [244, 242]],
    ['a row of cells', [9], [11]],
  ])('of an answer hold for %s', (_, within, beyond) => {
    const all = Buffer.concat(within.map(messageOf));
    expect(passed(all, [3], limited())).toEqual(all);
    expect(() => passed(Buffer.concat(beyond.map(messageOf)), [3], limited())).toThrow(
      'the database server has sent more than 0 MiB as one answer',
    );
  });

  it('begin anew with each answer', () => {
    const limit = limited();
    for (let answer = 0; answer < 3; answer += 1) {
      limit.begin();
      expect(passed(messageOf(700), [100], limit)).toHaveLength(702);
    }
  });

  it('of rows hold for each of them, without their cells', () => {
    const limit = limited();
    limit.beginRows();
    for (let row = 0; row < 3; row += 1) {
      expect(passed(messageOf(701), [100], limit)).toHaveLength(703);
    }
    expect(() => passed(messageOf(743), [100], limit)).toThrow('a row takes more than 0 MiB');
  });

  it('refuse a message when it begins', () => {
    const begun = messageOf(60_000).subarray(0, 2);
    expect(() => passed(begun, [2], limited())).toThrow('more than');
  });
});
