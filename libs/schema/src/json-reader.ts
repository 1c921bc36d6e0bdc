import { JsonSyntaxError } from './json-syntax-error';
import { pathAt } from './path-at';

/** How deep arrays and objects may nest by default, and at most: reading and writing recurse. */
export const MAX_JSON_DEPTH = 1000;

/** What {@link JsonReader.peek} gives at the end of the text. */
const END = -1;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;

export const QUOTE = 0x22;
export const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\bfnrt]|(\/|u[0-9a-fA-F]{4}))/y;

/** NUL or a surrogate without its partner: what no string value may hold. */
export const UNCLEAN = /[\0\ud800-\udfff]/u;

const isSpace = (code: number): boolean =>
  code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;

/**
 * Reads the tokens of a JSON text (RFC 8259) in order. Whoever drives it decides what becomes of them:
 * a tree, a record by its schema, or nothing.
 *
 * It reads text, since what it reads is text already: rows of the database, records of the log, answers of
 * applications, results of functions, settings. Places of errors are JSON pointers, and strings are built. The
 * gateway's intake has a second reader, `ByteReader` (`services/api-gateway/src/intake/event`): it works on the bytes
 * of a body without decoding them and passes values on as they came.
 *
 * Every method throws {@link JsonSyntaxError} where the text is not JSON.
 */
export class JsonReader {
  /** White space was passed over since {@link forget}. */
  spaced = false;
  /** A string used an escape that `writeJson` would write differently, since {@link forget}. */
  respelled = false;
  /** A string or a member name was {@link UNCLEAN}, since {@link forget}. */
  unclean = false;

  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number = MAX_JSON_DEPTH,
  ) {}

  /** Index of the next character to be read. */
  get offset(): number {
    return this.at;
  }

  /** Clears what was noticed. */
  forget(): void {
    this.spaced = false;
    this.respelled = false;
    this.unclean = false;
  }

  textFrom(offset: number): string {
    return this.text.slice(offset, this.at);
  }

  /** The code of the first character of the next token, which is not consumed; {@link END} after the last. */
  peek(): number {
    const { text } = this;
    if (this.at >= text.length) return END;
    const code = text.charCodeAt(this.at);
    if (code > SPACE || !isSpace(code)) return code;
    this.spaced = true;
    do this.at += 1;
    while (this.at < text.length && isSpace(text.charCodeAt(this.at)));
    return this.at < text.length ? text.charCodeAt(this.at) : END;
  }

  /** Consumes `{`. @returns whether a member follows; without one, `}` is consumed too. */
  openObject(): boolean {
    return this.open(CLOSE_BRACE);
  }

  /** Consumes `,` or `}`. @returns whether another member follows. */
  nextMember(): boolean {
    return this.next(CLOSE_BRACE, '"," or "}" is expected');
  }

  /** Consumes `[`. @returns whether an element follows; without one, `]` is consumed too. */
  openArray(): boolean {
    return this.open(CLOSE_BRACKET);
  }

  /** Consumes `,` or `]`. @returns whether another element follows. */
  nextElement(): boolean {
    return this.next(CLOSE_BRACKET, '"," or "]" is expected');
  }

  /** Consumes the name of a member and its colon. */
  memberName(): string {
    if (this.peek() !== QUOTE) this.fail('a member name is expected');
    const name = this.string();
    if (this.peek() !== COLON) this.fail('":" is expected');
    this.at += 1;
    return name;
  }

  /** Consumes a string that begins here. */
  string(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH || code < SPACE || code >= FIRST_SURROGATE)
        return this.difficultString(start, at);
    }
    return this.fail('the string does not end', text.length);
  }

  /** Consumes a number and gives its text. */
  number(): string {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.fail('a value is expected');
    const start = this.at;
    this.at = NUMBER.lastIndex;
    return this.text.slice(start, this.at);
  }

  /** Consumes `word` if it stands here. */
  literal(word: 'true' | 'false' | 'null'): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  /** Nothing but white space may follow. */
  end(): void {
    if (this.peek() !== END) this.fail('the text goes on after the value');
  }

  fail(message: string, at = this.at): never {
    throw new JsonSyntaxError(`${message} at offset ${at}`, at, pathAt(this.text, at));
  }

  private open(close: number): boolean {
    if (this.depth >= this.maxDepth) this.fail(`nesting is deeper than ${this.maxDepth}`);
    this.at += 1;
    if (this.peek() !== close) {
      this.depth += 1;
      return true;
    }
    this.at += 1;
    return false;
  }

  private next(close: number, expected: string): boolean {
    const code = this.peek();
    if (code !== COMMA && code !== close) this.fail(expected);
    this.at += 1;
    if (code === COMMA) return true;
    this.depth -= 1;
    return false;
  }

  /** The rest of a string that is not plain: with escapes, or characters that may be half of a pair. */
  private difficultString(start: number, from: number): string {
    const { text } = this;
    let escaped = false;
    let at = from;
    for (; text.charCodeAt(at) !== QUOTE; at += 1) {
      if (at >= text.length) this.fail('the string does not end', at);
      const code = text.charCodeAt(at);
      if (code < SPACE) this.fail('a control character must be escaped', at);
      if (code !== BACKSLASH) continue;
      escaped = true;
      at = this.afterEscape(at) - 1;
    }
    this.at = at + 1;
    const raw = text.slice(start, at);
    const value = escaped ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (UNCLEAN.test(value)) this.unclean = true;
    return value;
  }

  private afterEscape(at: number): number {
    ESCAPE.lastIndex = at;
    const match = ESCAPE.exec(this.text) ?? this.fail('the escape is not known', at);
    if (match[1] !== undefined) this.respelled = true;
    return ESCAPE.lastIndex;
  }
}
