import { isUtf8 } from 'node:buffer';
import { FileFault } from './file-fault';

/** Where bytes that are not UTF-8 go: each becomes the lone surrogate 0xDC00 + byte, which no UTF-8 text has. */
const ESCAPE_BASE = 0xdc00;
const BOM = '\ufeff';
const LONGEST_SEQUENCE = 4;

/** How many bytes the sequence has that begins with this byte; 1 for what cannot begin one. */
const lengthOf = (lead: number): number => {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc0 && lead < 0xe0 ? 2 : 1;
};

/** How many bytes at the end belong to a sequence that goes on in the next chunk. */
const unfinished = (bytes: Uint8Array): number => {
  const most = Math.min(LONGEST_SEQUENCE - 1, bytes.length);
  for (let back = 1; back <= most; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
};

/** Decodes sequence by sequence: only for chunks that are not all UTF-8. */
const escaped = (bytes: Buffer): string => {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const sequence = bytes.subarray(at, at + lengthOf(bytes[at] ?? 0));
    if (isUtf8(sequence)) {
      text += sequence.toString();
      at += sequence.length;
    } else {
      text += String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0));
      at += 1;
    }
  }
  return text;
};

const decoded = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : escaped(bytes));

const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/**
 * The text of UTF-8 content, chunk by chunk; no character is cut, a byte order mark at the beginning is left out. Each
 * byte that is not UTF-8 becomes a lone surrogate, so that whoever takes a text apart can tell which part is bad.
 *
 * @throws FileFault InvalidFile for UTF-16.
 */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  const state = { isFirst: true };
  for await (const chunk of bytes) {
    const whole =
      rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([rest, chunk]);
    if (state.isFirst && whole.length < LONGEST_SEQUENCE) {
      rest = whole;
      continue;
    }
    const end = whole.length - unfinished(whole);
    rest = whole.subarray(end);
    yield begun(whole.subarray(0, end));
  }
  if (rest.length > 0) yield begun(rest);

  function begun(part: Buffer): string {
    if (!state.isFirst) return decoded(part);
    state.isFirst = false;
    if (isUtf16(part)) throw new FileFault('InvalidFile', 'is UTF-16 text; UTF-8 is expected');
    const text = decoded(part);
    return text.startsWith(BOM) ? text.slice(1) : text;
  }
}
