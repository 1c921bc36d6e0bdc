import { MAX_ROW_BYTES, rowTooLarge } from '../database/answer-limit';
import { DatabaseFault } from '../database/database-fault';
import { GrowingBuffer } from '../database/growing-buffer';
import { type ClickhouseError, clickhouseErrorIn } from './clickhouse-fault';

/** Values in a row: each takes much more memory than the two bytes in which it may be written. */
const MAX_ROW_VALUES = 1_048_576;
/** What stands between the elements is small, unless the server says what has gone wrong. */
const MAX_OUTLINE = 65_536;

/** What may stand between elements: white space and commas. */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c]);
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Depth of the elements of a member of the answer. */
const ELEMENT_DEPTH = 2;

/** An element of `meta` or `data`, as it was sent. */
export interface AnswerElement {
  readonly member: string;
  readonly text: Buffer;
}

/**
 * Finds columns and rows in an answer of the format `JSONCompact`, which is an object with the members `meta`, `data`
 * and, at its end, `rows`. An answer is whole only with that end: what a server says in the middle of it is an error.
 */
export class AnswerScanner {
  private depth = 0;
  private isInText = false;
  /** Behind something that can be no part of an answer. */
  isBroken = false;
  private isEscaped = false;
  private member = '';
  /** Everything that is in no element, a character for each byte. */
  private outline = '';
  /** Parts of the element that has begun in earlier chunks. */
  private readonly begun = new GrowingBuffer();
  /** Commas of the element that has begun. */
  private commas = 0;

  constructor(private readonly maxRowBytes = MAX_ROW_BYTES) {}

  /** Whether nothing but white space has come. */
  get isEmpty(): boolean {
    return this.outline.trim() === '' && this.depth === 0;
  }

  /** @throws DatabaseFault InvalidQuery for a row that is too large, or has too many values. */
  *elements(chunk: Buffer): Generator<AnswerElement> {
    let start = 0;
    for (let at = 0; at < chunk.length && !this.isBroken; at += 1) {
      if (this.isInText) {
        at = this.skipText(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE && !this.isStrange(byte)) this.isInText = true;
      else if (byte === COMMA) this.countValue();
      else if (OPENING.has(byte)) start = this.open(chunk, start, at);
      else if (CLOSING.has(byte)) {
        this.depth -= 1;
        if (this.depth !== ELEMENT_DEPTH) continue;
        yield { member: this.member, text: this.taken(chunk.subarray(start, at + 1)) };
        start = at + 1;
      } else if (this.isStrange(byte)) this.isBroken = true;
    }
    this.keep(chunk.subarray(start));
  }

  /** What is wrong with an answer that has ended; undefined: it is whole. @param rows that it has given. */
  problem(rows: number): ClickhouseError | Error | undefined {
    const said = clickhouseErrorIn(Buffer.from(this.outline, 'latin1').toString());
    if (said !== undefined) return said;
    const [, count] = /[\]}]\s*,\s*"rows"\s*:\s*(\d+)/.exec(this.outline) ?? [];
    return this.depth === 0 && Number(count) === rows ? undefined : new Error('it is not whole');
  }

  private countValue(): void {
    if (this.depth <= ELEMENT_DEPTH) return;
    this.commas += 1;
    if (this.commas >= MAX_ROW_VALUES)
      throw new DatabaseFault('InvalidQuery', `a row has more than ${MAX_ROW_VALUES} values`);
  }

  private isStrange(byte: number): boolean {
    if (BETWEEN.has(byte)) return false;
    return this.depth === 0 || (this.depth === ELEMENT_DEPTH && this.isAmongElements);
  }

  /** @returns where the text ends, or the chunk. */
  private skipText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      at += 1;
    }
    const end = chunk.indexOf(QUOTE, at);
    const escape = chunk.subarray(0, end < 0 ? chunk.length : end).indexOf(BACKSLASH, at);
    if (escape >= 0) {
      this.isEscaped = escape + 1 >= chunk.length;
      return escape + 1;
    }
    if (end < 0) return chunk.length;
    this.isInText = false;
    return end;
  }

  private open(chunk: Buffer, start: number, at: number): number {
    this.depth += 1;
    if (this.depth <= ELEMENT_DEPTH) {
      this.note(chunk.subarray(start, at + 1));
      if (this.depth === ELEMENT_DEPTH)
        this.member = /"(\w+)"\s*:\s*[[{]$/.exec(this.outline)?.[1] ?? '';
      return at + 1;
    }
    if (this.depth > ELEMENT_DEPTH + 1) return start;
    this.note(chunk.subarray(start, at));
    return at;
  }

  private keep(rest: Buffer): void {
    if (this.depth <= ELEMENT_DEPTH) this.note(rest);
    else this.add(rest);
  }

  private add(part: Buffer): void {
    if (this.begun.length + part.length > this.maxRowBytes) throw rowTooLarge(this.maxRowBytes);
    this.begun.add(part);
  }

  private taken(last: Buffer): Buffer {
    this.commas = 0;
    if (this.begun.length === 0) return last;
    this.add(last);
    return this.begun.take();
  }

  /** Commas and white space between elements are not worth keeping. */
  private note(part: Buffer): void {
    if (this.isAmongElements && !this.isBroken && part.every((byte) => BETWEEN.has(byte))) return;
    if (this.outline.length < MAX_OUTLINE) this.outline += part.toString('latin1');
  }

  private get isAmongElements(): boolean {
    return this.depth >= ELEMENT_DEPTH && (this.member === 'meta' || this.member === 'data');
  }
}
