/**
 * The most digits that the large exponents of one JSON text may stand for. PostgreSQL keeps numbers of JSON with their exponents
 * and writes them plainly: `1e131071` takes some bytes in a table, and 131,072 in every answer.
 */
export const MAX_PLAIN_DIGITS = 65_536;

/** Exponents up to this one are not counted: with them a number takes a few times as much as it is written with. */
export const SMALL_EXPONENT = 32;

const MAYBE_EXPONENT = /\d[eE][+-]?\d/;
/** Where a text begins, or the exponent of a number. What is in a text is passed over. */
const QUOTE_OR_EXPONENT = /"|[eE]([+-]?\d+)/g;

const isEscaped = (json: string, quote: number): boolean => {
  let start = quote;
  while (json[start - 1] === '\\') start -= 1;
  return (quote - start) % 2 === 1;
};

/** The place behind a text, which begins at a quote. No pattern finds it: a long text takes more stack than there is. */
const behindText = (json: string, quote: number): number => {
  let end = json.indexOf('"', quote + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
};

/** Whether the numbers of a JSON text stay short when they are written without exponents. */
export const hasPlainNumbers = (json: string): boolean => {
  if (!MAYBE_EXPONENT.test(json)) return true;
  let digits = 0;
  QUOTE_OR_EXPONENT.lastIndex = 0;
  for (let found; (found = QUOTE_OR_EXPONENT.exec(json)) !== null;) {
    const [, exponent] = found;
    if (exponent === undefined) {
      QUOTE_OR_EXPONENT.lastIndex = behindText(json, found.index);
      continue;
    }
    const size = Math.abs(Number(exponent));
    if (size > SMALL_EXPONENT) digits += size;
    if (digits > MAX_PLAIN_DIGITS) return false;
  }
  return true;
};
