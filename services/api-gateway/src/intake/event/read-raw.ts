import { parseJson, writeJson } from '@penstock/schema';
import type { ByteReader } from './byte-reader';
import { BYTE } from './bytes';
import { CONTAINER, type Leaf, UNCLEAN } from './leaf';
import { MARK } from './marks';
import { readLeaf } from './read-leaf';

const { BACKSLASH, OPEN_BRACE, QUOTE, SPACE } = BYTE;

/**
 * Reads an object that is passed on unchanged (`properties`, `traits`): it is checked but not built.
 *
 * @returns its compact text, member order and digits kept; undefined when it is absent; a leaf that is no object
 *   otherwise (see {@link isRaw}).
 */
export const readRaw = (reader: ByteReader): Leaf | undefined => {
  if (reader.peek() !== OPEN_BRACE) {
    const leaf = readLeaf(reader);
    return leaf === CONTAINER ? '[]' : leaf;
  }
  const start = reader.at;
  reader.marks = 0;
  reader.skip();
  const { marks } = reader;
  if (marks === 0) return reader.text.slice(start, reader.at);
  if ((marks & MARK.unclean) !== 0) return UNCLEAN;
  if ((marks & MARK.respelled) !== 0)
    return writeJson(parseJson(reader.bytes.toString('utf8', start, reader.at)));
  return (marks & MARK.spaced) === 0
    ? reader.bytes.toString('utf8', start, reader.at)
    : compact(reader.bytes.subarray(start, reader.at));
};

/** Whether the text is that of an object. */
export const isRaw = (leaf: Leaf): boolean => leaf.charCodeAt(0) === OPEN_BRACE;

/** Removes the white space between tokens. */
const compact = (bytes: Buffer): string => {
  const kept = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (!inString && byte <= SPACE) continue;
    kept[length] = byte;
    length += 1;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) {
      at += 1;
      kept[length] = bytes[at] as number;
      length += 1;
    }
  }
  return kept.toString('utf8', 0, length);
};
