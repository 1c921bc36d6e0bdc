import { ProtocolError } from './frames';

/** Before each text: how many bytes it has, the lowest first. */
export const TEXT_LENGTH_BYTES = 4;

/** Texts in UTF-8, each after its length, in one piece. */
export const packTexts = (texts: readonly string[]): Buffer => {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const all = lengths.reduce((sum, length) => sum + TEXT_LENGTH_BYTES + length, 0);
  const bytes = Buffer.allocUnsafe(all);
  let at = 0;
  texts.forEach((text, index) => {
    at = bytes.writeUInt32LE(lengths[index] ?? 0, at);
    at += bytes.write(text, at);
  });
  return bytes;
};

/**
 * The UTF-8 bytes of each text. They are views, not copies.
 *
 * @throws ProtocolError, once it is reached, for a text that is longer than what is there.
 */
export function* unpackTexts(packed: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  for (let at = 0; at < bytes.length;) {
    const start = at + TEXT_LENGTH_BYTES;
    const end = start > bytes.length ? Infinity : start + bytes.readUInt32LE(at);
    if (end > bytes.length) throw new ProtocolError('a text is cut off');
    yield bytes.subarray(start, end);
    at = end;
  }
}
