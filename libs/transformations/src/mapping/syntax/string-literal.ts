import { ExpressionFault } from './expression-fault';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Number of hexadecimal digits of the escapes for code points. */
const CODE_POINT_DIGITS: Readonly<Record<string, number>> = { u: 4, U: 8 };

const MAX_CODE_POINT = 0x10ffff;

const isSurrogate = (codePoint: number): boolean => codePoint >= 0xd800 && codePoint <= 0xdfff;

const named = (text: string, at: number, count: number): string => {
  const digits = text.slice(at + 2, at + 2 + count);
  const isHexadecimal = digits.length === count && /^[0-9a-fA-F]+$/.test(digits);
  if (!isHexadecimal) throw new ExpressionFault(`${count} hexadecimal digits expected`, at);
  const codePoint = Number.parseInt(digits, 16);
  if (codePoint === 0 || codePoint > MAX_CODE_POINT || isSurrogate(codePoint))
    throw new ExpressionFault('this escape names no character that a string may hold', at);
  return String.fromCodePoint(codePoint);
};

interface Piece {
  readonly content: string;
  /** Index after the piece. */
  readonly end: number;
}

const escape = (text: string, at: number): Piece => {
  const code = text.codePointAt(at + 1);
  if (code === undefined) throw new ExpressionFault('the string is not closed', at);
  const letter = String.fromCodePoint(code);
  const count = CODE_POINT_DIGITS[letter];
  if (count !== undefined) return { content: named(text, at, count), end: at + 2 + count };
  return { content: SHORT_ESCAPES[letter] ?? letter, end: at + 1 + letter.length };
};

const PLAIN = { '"': /[^"\\]*/y, "'": /[^'\\]*/y };

const plain = (text: string, at: number, quote: '"' | "'"): Piece => {
  const pattern = PLAIN[quote];
  pattern.lastIndex = at;
  const content = pattern.exec(text)?.[0] ?? '';
  return { content, end: at + content.length };
};

/** Reads the string whose opening quote is at `start`. */
export const readString = (text: string, start: number): Piece => {
  const quote = text[start] === '"' ? '"' : "'";
  let content = '';
  let at = start + 1;
  for (;;) {
    const run = plain(text, at, quote);
    content += run.content;
    at = run.end;
    if (at >= text.length) throw new ExpressionFault('the string is not closed', start);
    if (text[at] === quote) return { content, end: at + 1 };
    const escaped = escape(text, at);
    content += escaped.content;
    at = escaped.end;
  }
};
