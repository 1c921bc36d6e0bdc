import { BYTE } from './bytes';
import { MARK } from './marks';

const { LOWER_U, SLASH } = BYTE;

const SHORT = new Set(Buffer.from('"\\/bfnrt'));
const UNIT = /^\\u[0-9a-fA-F]{4}$/;
const UNIT_LENGTH = 6;

/** An escape sequence: its length in characters, and its bits of {@link MARK}. */
export interface Escape {
  readonly length: number;
  readonly marks: number;
}

const PLAIN: Escape = { length: 2, marks: MARK.escaped };
const RESPELLED: Escape = { length: 2, marks: MARK.escaped | MARK.respelled };

/** Parses the escape sequence that begins at the index; undefined when it is invalid. */
export const escapeAt = (text: string, at: number): Escape | undefined => {
  const code = text.charCodeAt(at + 1);
  if (code === LOWER_U) return unicodeEscapeAt(text, at);
  if (!SHORT.has(code)) return undefined;
  return code === SLASH ? RESPELLED : PLAIN;
};

const unicodeEscapeAt = (text: string, at: number): Escape | undefined => {
  const unit = unitAt(text, at);
  if (unit === undefined) return undefined;
  const marks = MARK.escaped | MARK.respelled;
  if (unit === 0) return { length: UNIT_LENGTH, marks: marks | MARK.unclean };
  if (unit < 0xd800 || unit > 0xdfff) return { length: UNIT_LENGTH, marks };
  const low = unit < 0xdc00 ? unitAt(text, at + UNIT_LENGTH) : undefined;
  return low !== undefined && low >= 0xdc00 && low <= 0xdfff
    ? { length: 2 * UNIT_LENGTH, marks }
    : { length: UNIT_LENGTH, marks: marks | MARK.unclean };
};

const unitAt = (text: string, at: number): number | undefined => {
  const escape = text.slice(at, at + UNIT_LENGTH);
  return UNIT.test(escape) ? parseInt(escape.slice(2), 16) : undefined;
};
