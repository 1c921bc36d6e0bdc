import { FileFault } from '../content/file-fault';

/** UTF-16 units of a record. */
export const MAX_ELEMENT_LENGTH = 1_048_576;

const OUTSIDE = /["\[\]{},]/g;
const INSIDE = /["\\]/g;
const SPACES = /^[ \t\r\n]*/;

/**
 * Cuts a JSON array of any size into the texts of its elements, whose own syntax is not looked at but for strings and
 * brackets. One that is too long is `null`.
 */
class ElementCutter {
  /** What has been read of the element that stands at the end of the text so far. */
  private element = '';
  private isTooLong = false;
  private depth = 0;
  private inString = false;
  /** The text so far ended with a backslash in a string. */
  private escapes = false;
  /** Elements that have ended, the open one not counted. */
  private count = 0;
  private isEnded = false;

  /** @param text what follows. @throws FileFault when something follows the array. */
  *add(text: string): Generator<string | null> {
    let from = 0;
    let at = 0;
    if (this.escapes && text !== '') {
      this.escapes = false;
      at = 1;
    }
    for (;;) {
      if (this.isEnded) return this.nothingIn(text.slice(at));
      const pattern = this.inString ? INSIDE : OUTSIDE;
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.index;
      if (found === undefined) break;
      at = found + 1;
      if (this.inString && text[found] === '\\') {
        this.escapes = at >= text.length;
        at += 1;
      } else if (this.ends(text[found] ?? '')) {
        const element = this.cut(text.slice(from, found));
        from = at;
        if (element !== undefined) yield element;
      }
    }
    this.keep(text.slice(from));
  }

  /** @throws FileFault unless the array has ended. */
  end(): void {
    if (!this.isEnded) throw new FileFault('InvalidFile', 'is cut off: the JSON array has no end');
  }

  /** @returns whether the element ends before this character. */
  private ends(character: string): boolean {
    switch (character) {
      case '"':
        this.inString = !this.inString;
        return false;
      case '{':
      case '[':
        this.depth += 1;
        return false;
      case '}':
      case ']':
        if (this.depth > 0) this.depth -= 1;
        else if (character === ']') this.isEnded = true;
        return this.isEnded;
      default:
        return this.depth === 0;
    }
  }

  /** @returns undefined for an empty array. */
  private cut(text: string): string | null | undefined {
    this.keep(text);
    const { element, isTooLong } = this;
    this.element = '';
    this.isTooLong = false;
    this.count += 1;
    if (isTooLong) return null;
    return this.isEnded && this.count === 1 && element.trim() === '' ? undefined : element;
  }

  private keep(text: string): void {
    if (this.isTooLong) return;
    this.element += text;
    this.isTooLong = this.element.length > MAX_ELEMENT_LENGTH;
    if (this.isTooLong) this.element = '';
  }

  private nothingIn(text: string): void {
    if (text.replace(SPACES, '') !== '')
      throw new FileFault('InvalidFile', 'goes on after the end of the JSON array');
  }
}

/**
 * The texts of the elements of a JSON array in batches; `null` for one that is longer than {@link MAX_ELEMENT_LENGTH}.
 *
 * @param texts what stands behind the first bracket.
 * @throws FileFault when the array has no end, or something follows it.
 */
export async function* jsonElements(
  texts: AsyncIterable<string>,
): AsyncGenerator<readonly (string | null)[]> {
  const cutter = new ElementCutter();
  for await (const text of texts) {
    const elements = [...cutter.add(text)];
    if (elements.length > 0) yield elements;
  }
  cutter.end();
}
