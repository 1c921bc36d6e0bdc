import { BYTE } from './bytes';
import { escapeAt } from './escape';
import { MalformedBody } from './malformed-body';
import { MARK } from './marks';
import { MemberNames } from './member-names';
import { numberEnd } from './number-end';

const {
  BACKSLASH,
  BEYOND_ASCII,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} = BYTE;
const { spaced: SPACED, wide: WIDE } = MARK;

const isSpace = (byte: number): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;

/**
 * Reads a JSON text (RFC 8259) from its UTF-8 bytes in one forward pass: values that are passed on unchanged are
 * checked and skipped, not built. Reading bytes instead of a string costs half, and sizes are those of the wire.
 *
 * Other JSON is read by `JsonReader` of `libs/schema`, which builds strings and trees from text and reports places as
 * JSON pointers. Intake needs that of few values: it copies most as they were sent, and limits events by their bytes.
 *
 * Every method throws {@link MalformedBody} where the text is not JSON, repeats a member name or nests too deep.
 */
export class ByteReader {
  /** Index of the next byte. */
  at = 0;
  /** Bits of {@link MARK} found since they were last cleared. */
  marks = 0;
  /** The bytes as latin1, one character per byte: equals the text wherever it is ASCII. */
  readonly text: string;
  private readonly names = new MemberNames();
  private depth = 0;
  /** Whether nothing has been read yet of the innermost object or array. */
  private fresh = false;

  constructor(
    /** Must be well-formed UTF-8. */
    readonly bytes: Buffer,
    private readonly maxDepth: number,
  ) {
    this.text = bytes.toString('latin1');
  }

  /** Returns the next byte that is not white space, without consuming it; 0 at the end. */
  peek(): number {
    const { bytes } = this;
    let byte = this.at < bytes.length ? (bytes[this.at] as number) : 0;
    while (byte <= SPACE && isSpace(byte)) {
      this.marks |= SPACED;
      this.at += 1;
      byte = this.at < bytes.length ? (bytes[this.at] as number) : 0;
    }
    return byte;
  }

  /** Consumes `{`. */
  enterObject(): void {
    this.enter();
    this.names.open();
  }

  /**
   * Consumes the name of the next member and its colon.
   *
   * @returns undefined after the last member, with `}` consumed.
   */
  nextName(): string | undefined {
    if (!this.another(CLOSE_BRACE)) {
      this.names.close();
      return undefined;
    }
    if (this.peek() !== QUOTE) this.fail('a member name is expected');
    const name = this.readName();
    if (!this.names.add(name)) this.fail(`member ${JSON.stringify(name)} is repeated`);
    if (this.peek() !== COLON) this.fail('":" is expected');
    this.at += 1;
    return name;
  }

  /** Consumes `[`. */
  enterArray(): void {
    this.enter();
  }

  /** @returns whether another element follows; without one, `]` is consumed. */
  nextElement(): boolean {
    return this.another(CLOSE_BRACKET);
  }

  /** Consumes a value of any kind. */
  skip(): void {
    const byte = this.peek();
    if (byte === QUOTE) this.skipString();
    else if (byte === OPEN_BRACE) this.skipObject();
    else if (byte === OPEN_BRACKET) this.skipArray();
    else this.readScalar();
  }

  /** Consumes a number, `true`, `false` or `null`. @returns its text. */
  readScalar(): string {
    const start = this.at;
    const { text } = this;
    if (text.startsWith('true', start) || text.startsWith('null', start)) this.at += 4;
    else if (text.startsWith('false', start)) this.at += 5;
    else {
      const end = numberEnd(this.bytes, start);
      if (end === -1) this.fail('a value is expected');
      this.at = end;
    }
    return text.slice(start, this.at);
  }

  /** Checks that only white space follows. */
  end(): void {
    this.peek();
    if (this.at < this.bytes.length) this.fail('the text goes on after the value');
  }

  fail(message: string, path?: string): never {
    throw new MalformedBody(`${message} at byte ${String(this.at)}`, path);
  }

  private readName(): string {
    const start = this.at;
    const before = this.marks;
    this.marks = 0;
    this.skipString();
    const plain = this.marks === 0;
    this.marks |= before;
    return plain
      ? this.text.slice(start + 1, this.at - 1)
      : (JSON.parse(this.bytes.toString('utf8', start, this.at)) as string);
  }

  private skipObject(): void {
    this.enterObject();
    while (this.nextName() !== undefined) this.skip();
  }

  private skipArray(): void {
    this.enterArray();
    while (this.nextElement()) this.skip();
  }

  private skipString(): void {
    const { bytes } = this;
    const { length } = bytes;
    let at = this.at + 1;
    while (at < length) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return;
      }
      if (byte < SPACE) this.failAt(at, 'a string holds a control character');
      if (byte === BACKSLASH) at += this.skipEscape(at);
      else {
        if (byte >= BEYOND_ASCII) this.marks |= WIDE;
        at += 1;
      }
    }
    this.failAt(at, 'a string does not end');
  }

  private skipEscape(at: number): number {
    const escape = escapeAt(this.text, at) ?? this.failAt(at, 'a string holds an unknown escape');
    this.marks |= escape.marks;
    return escape.length;
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > this.maxDepth)
      this.fail(`nesting is deeper than ${String(this.maxDepth)} levels`);
    this.at += 1;
    this.fresh = true;
  }

  private another(close: number): boolean {
    const byte = this.peek();
    if (byte === close) {
      this.at += 1;
      this.depth -= 1;
      this.fresh = false;
      return false;
    }
    if (this.fresh) this.fresh = false;
    else if (byte === COMMA) this.at += 1;
    else this.fail(`"," or "${String.fromCharCode(close)}" is expected`);
    return true;
  }

  private failAt(at: number, message: string): never {
    this.at = at;
    return this.fail(message);
  }
}
