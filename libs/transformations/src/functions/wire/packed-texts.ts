import { ProtocolError } from './frames';

/** Bytes of the length before each text, little-endian. */
export const TEXT_LENGTH_BYTES = 4;

/** Packs texts into one buffer: UTF-8, each after its length. */
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
 * Yields the UTF-8 bytes of each text, as views.
 *
 * @throws ProtocolError, when it is reached, for a text that exceeds the buffer.
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
