import type { ByteReader } from './byte-reader';
import { BYTE } from './bytes';
import { CONTAINER, type Leaf, leafOf, UNCLEAN } from './leaf';
import { MARK } from './marks';

const { OPEN_BRACE, OPEN_BRACKET, QUOTE } = BYTE;

/** Reads a member. @returns undefined for `null` and the empty string, which count as absent. */
export const readLeaf = (reader: ByteReader): Leaf | undefined => {
  const byte = reader.peek();
  if (byte === QUOTE) return readText(reader);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
    reader.skip();
    return CONTAINER;
  }
  const text = reader.readScalar();
  return text === 'null' ? undefined : text;
};

const readText = (reader: ByteReader): Leaf | undefined => {
  const start = reader.at;
  reader.marks = 0;
  reader.skip();
  if (reader.at - start === 2) return undefined;
  if (reader.marks === 0) return reader.text.slice(start, reader.at);
  if ((reader.marks & MARK.unclean) !== 0) return UNCLEAN;
  const text = JSON.parse(reader.bytes.toString('utf8', start, reader.at)) as string;
  return leafOf(text.normalize('NFC'));
};
