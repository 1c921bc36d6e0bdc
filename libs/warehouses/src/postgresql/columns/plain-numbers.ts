/**
 * The most digits that the large exponents of one JSON text may stand for. PostgreSQL keeps numbers of JSON with their exponents
 * and writes them plainly: `1e131071` takes some bytes in a table, and 131,072 in every answer.
 */
export const MAX_PLAIN_DIGITS = 65_536;

/** Exponents up to this one are not counted: with them a number takes a few times as much as it is written with. */
export const SMALL_EXPONENT = 32;

const MAYBE_EXPONENT = /\d[eE][+-]?\d/;
/** A text, or the exponent of a number: what looks like one inside a text is passed over. */
const TEXT_OR_EXPONENT = /"(?:[^"\\]|\\.)*"|[eE]([+-]?\d+)/g;

/** Whether the numbers of a JSON text stay short when they are written without exponents. */
export const hasPlainNumbers = (json: string): boolean => {
  if (!MAYBE_EXPONENT.test(json)) return true;
  let digits = 0;
  for (const [, exponent] of json.matchAll(TEXT_OR_EXPONENT)) {
    const size = Math.abs(Number(exponent ?? 0));
    if (size > SMALL_EXPONENT) digits += size;
    if (digits > MAX_PLAIN_DIGITS) return false;
  }
  return true;
};
