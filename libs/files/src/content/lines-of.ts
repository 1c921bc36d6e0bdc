/** A line of a text. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the characters that end it; `null`: it was too long. */
  readonly text: string | null;
}

const withoutReturn = (line: string): string =>
  line.charCodeAt(line.length - 1) === 0x0d ? line.slice(0, -1) : line;

/**
 * The lines of a text, which `\n` or `\r\n` end, in batches: those that end in one chunk. A text that ends with
 * the end of a line has no empty line after it.
 *
 * @param maxLength UTF-16 units of a line beyond which it is passed over.
 */
export async function* linesOf(
  texts: AsyncIterable<string>,
  maxLength: number,
): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let rest = '';
  let isTooLong = false;
  const line = (text: string): Line => {
    number += 1;
    const given = isTooLong || text.length > maxLength ? null : withoutReturn(text);
    isTooLong = false;
    return { number, text: given };
  };
  for await (const chunk of texts) {
    const lines: Line[] = [];
    let at = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
      lines.push(line(rest + chunk.slice(at, end)));
      rest = '';
      at = end + 1;
    }
    // Only added to, and never searched: the chunks may be tiny, and the line long.
    rest += chunk.slice(at);
    if (rest.length > maxLength) {
      isTooLong = true;
      rest = '';
    }
    if (lines.length > 0) yield lines;
  }
  if (rest !== '' || isTooLong) yield [line(rest)];
}
