import type { PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import type { SpooledFile } from '../content/spooled-file';
import type { Budget } from './budget';
import { Damaged } from './hybrid';
import type { Leaf } from './leaf';
import { type Dictionary, type Page, placesBytes, readDictionary, readPage } from './page';
import { checkThrift } from './thrift-bounds';
import { MAX_PAGE_BYTES } from './values';

/** Where a column of a group of rows is in the file. */
export interface Chunk {
  readonly leaf: Leaf;
  readonly start: number;
  readonly end: number;
  /** Levels of all its pages. */
  readonly count: number;
}

/** Bytes that are read ahead. */
const WINDOW_BYTES = 65_536;
/** Bytes that the head of a page may take, with the extremes of its values. */
const MAX_HEAD_BYTES = 1_048_576;
/** Fields of it. */
const MAX_HEAD_VALUES = 1_000;

const isLength = (bytes: number): boolean => bytes >= 0 && bytes <= MAX_PAGE_BYTES;

interface Held extends Page {
  readonly bytes: number;
}

/** Reads a column of a group of rows page by page. Levels and values are then taken one by one. */
export class LeafReader {
  private offset: number;
  private window: Uint8Array = new Uint8Array();
  private windowStart = 0;
  private dictionary: Dictionary | undefined;
  private dictionaryBytes = 0;
  /** Levels that have been read. */
  private read = 0;
  private readonly pages: Held[] = [];
  /** Rows that begin in the pages and have not been taken. */
  private rows = 0;
  private page: Held | undefined;
  private level = 0;

  constructor(
    private readonly file: SpooledFile,
    private readonly chunk: Chunk,
    private readonly budget: Budget,
  ) {
    this.offset = chunk.start;
  }

  /** Reads pages until so many rows are complete, or the column ends. @throws Error when it is damaged. */
  async fill(rows: number): Promise<void> {
    // The last row of a column with repetitions may go on in the next page.
    const needed = rows + (this.chunk.leaf.maxRepetition > 0 ? 1 : 0);
    while (this.rows < needed && this.read < this.chunk.count) await this.readNext();
  }

  /** Of the level that stands next; at the end 0. */
  get repetition(): number {
    return this.page?.repetitions?.value ?? 0;
  }

  /** Of the level that stands next. @throws Damaged at the end. */
  get definition(): number {
    const page = this.current();
    return page.definitions?.value ?? this.chunk.leaf.maxDefinition;
  }

  /** Takes the level that stands next. @returns its value; undefined where it has none. @throws Damaged at the end. */
  next(): unknown {
    const page = this.current();
    const isThere = this.definition === this.chunk.leaf.maxDefinition;
    const value = isThere ? page.next() : undefined;
    if (this.repetition === 0) this.rows -= 1;
    this.level += 1;
    if (this.level < page.count) this.step(page);
    else this.turn();
    return value;
  }

  /** Gives back the memory that is held. */
  close(): void {
    for (const { bytes } of this.pages.splice(0)) this.budget.give(bytes);
    this.budget.give(this.dictionaryBytes);
    this.dictionaryBytes = 0;
    this.page = undefined;
  }

  private current(): Held {
    if (this.page === undefined) throw new Damaged('a column is shorter than others');
    return this.page;
  }

  private turn(): void {
    const done = this.pages.shift();
    if (done !== undefined) this.budget.give(done.bytes);
    this.page = undefined;
    this.begin();
  }

  /** Goes to the next page, where one has been read and none is being taken from. */
  private begin(): void {
    const [first] = this.pages;
    if (this.page !== undefined || first === undefined) return;
    this.page = first;
    this.level = 0;
    this.step(first);
  }

  private step({ definitions, repetitions }: Page): void {
    definitions?.next();
    repetitions?.next();
  }

  private async readNext(): Promise<void> {
    const header = await this.header();
    const length = header.compressed_page_size;
    const size = header.uncompressed_page_size;
    if (!isLength(length) || !isLength(size) || this.offset + length > this.chunk.end)
      throw new Damaged('a page is too large');
    const bytes = await this.bytes(this.offset, length);
    this.offset += length;
    // A page keeps what it needs: what was read for a large one is not kept beside it.
    if (length > WINDOW_BYTES) this.window = new Uint8Array();
    if (header.type === 'DICTIONARY_PAGE') {
      const taken = size + placesBytes(this.chunk.leaf, header);
      this.budget.take(taken);
      this.dictionaryBytes += taken;
      this.dictionary = readDictionary(this.chunk.leaf, header, bytes);
    } else if (header.type === 'DATA_PAGE' || header.type === 'DATA_PAGE_V2') {
      this.budget.take(size);
      this.hold(readPage(this.chunk.leaf, header, bytes, this.dictionary), size);
    }
  }

  private hold(page: Page, bytes: number): void {
    if (page.count === 0) {
      this.budget.give(bytes);
      return;
    }
    this.pages.push({ ...page, bytes });
    this.rows += page.rows;
    this.read += page.count;
    this.begin();
  }

  /** The head of the page that stands next, in as few bytes as it needs. */
  private async header(): Promise<PageHeader> {
    for (let length = WINDOW_BYTES; ; length *= 4) {
      const end = Math.min(this.chunk.end, this.offset + length);
      if (end <= this.offset) throw new Damaged('a column is cut off');
      const bytes = await this.bytes(this.offset, end - this.offset);
      const reader = {
        view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        offset: 0,
      };
      try {
        checkThrift(bytes, MAX_HEAD_VALUES);
        const header = parquetHeader(reader);
        this.offset += reader.offset;
        return header;
      } catch (error) {
        if (end === this.chunk.end || length >= MAX_HEAD_BYTES) throw error;
      }
    }
  }

  private async bytes(start: number, length: number): Promise<Uint8Array> {
    const at = start - this.windowStart;
    if (at < 0 || at + length > this.window.length) {
      const end = Math.min(this.chunk.end, start + Math.max(length, WINDOW_BYTES));
      this.window = await this.file.read(start, end);
      this.windowStart = start;
      return this.window.subarray(0, length);
    }
    return this.window.subarray(at, at + length);
  }
}
