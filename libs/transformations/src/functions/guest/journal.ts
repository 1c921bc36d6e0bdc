import { TEXT_LENGTH_BYTES } from '../wire/packed-texts';

/**
 * Header of a piece: the number of completely written bytes and, in the first piece, the number of further pieces that
 * were read.
 */
const HEADER_BYTES = 8;
/** Number of unread further pieces at which the writer waits. */
const MAX_UNTAKEN = 4;
const FIRST_BYTES = 256 * 1024;
const FURTHER_BYTES = 1024 * 1024;
/** Maximal bytes of one UTF-16 code unit in UTF-8. */
const MAX_BYTES_A_UNIT = 3;

/** A buffer shared by the two threads. */
class Piece {
  readonly written: Int32Array<SharedArrayBuffer>;
  readonly taken: Int32Array<SharedArrayBuffer>;
  readonly bytes: Buffer;

  constructor(readonly memory: SharedArrayBuffer) {
    this.written = new Int32Array(memory, 0, 1);
    this.taken = new Int32Array(memory, Int32Array.BYTES_PER_ELEMENT, 1);
    this.bytes = Buffer.from(memory, HEADER_BYTES);
  }
}

const newPiece = (bytes: number): Piece => new Piece(new SharedArrayBuffer(HEADER_BYTES + bytes));

export const newJournalMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(HEADER_BYTES + FIRST_BYTES);

/**
 * Writes the answers of a thread to memory that outlives it: after the thread was ended, every complete answer can
 * still be read. Answers are packed texts. The writer waits while several further pieces are unread.
 */
export class JournalWriter {
  private readonly first: Piece;
  /** Further pieces of the usual size; each is reused after it was read. */
  private readonly usual: (Piece | undefined)[] = [];
  private piece: Piece;
  private further = 0;
  private at = 0;

  /** @param onFurtherPiece called with each further piece, before anything is written to it. */
  constructor(
    memory: SharedArrayBuffer,
    private readonly onFurtherPiece: (memory: SharedArrayBuffer) => void,
  ) {
    this.first = new Piece(memory);
    this.piece = this.first;
  }

  /** Starts the next batch; the reader must have read all of the previous one. */
  begin(): void {
    this.piece = this.first;
    this.further = 0;
    this.at = 0;
  }

  append(answer: string | Uint8Array): void {
    this.reserve(answer);
    const { bytes, written } = this.piece;
    const start = this.at + TEXT_LENGTH_BYTES;
    const length = typeof answer === 'string' ? bytes.write(answer, start) : answer.length;
    if (typeof answer !== 'string') bytes.set(answer, start);
    bytes.writeUInt32LE(length, this.at);
    this.at = start + length;
    Atomics.store(written, 0, this.at);
  }

  private reserve(answer: string | Uint8Array): void {
    const free = this.piece.bytes.length - this.at - TEXT_LENGTH_BYTES;
    const most = typeof answer === 'string' ? answer.length * MAX_BYTES_A_UNIT : answer.length;
    if (most <= free) return;
    const length = typeof answer === 'string' ? Buffer.byteLength(answer) : answer.length;
    if (length <= free) return;
    this.piece = this.nextPiece(TEXT_LENGTH_BYTES + length);
    this.at = 0;
    this.onFurtherPiece(this.piece.memory);
  }

  private nextPiece(leastBytes: number): Piece {
    this.waitForReader();
    if (leastBytes > FURTHER_BYTES) return newPiece(leastBytes);
    const slot = this.further % (MAX_UNTAKEN + 1);
    const piece = (this.usual[slot] ??= newPiece(FURTHER_BYTES));
    Atomics.store(piece.written, 0, 0);
    return piece;
  }

  private waitForReader(): void {
    const { taken } = this.first;
    this.further += 1;
    for (;;) {
      const count = Atomics.load(taken, 0);
      if (this.further - count <= MAX_UNTAKEN) return;
      Atomics.wait(taken, 0, count);
    }
  }
}

/** Reads what a {@link JournalWriter} has written. */
export class JournalReader {
  private readonly first: Piece;
  private pieces: Piece[];
  private at = 0;

  constructor(memory: SharedArrayBuffer) {
    this.first = new Piece(memory);
    this.pieces = [this.first];
  }

  /** Resets the journal, before the writer starts the next batch. */
  begin(): void {
    Atomics.store(this.first.written, 0, 0);
    Atomics.store(this.first.taken, 0, 0);
    this.pieces = [this.first];
    this.at = 0;
  }

  /** Adds a further piece, in which the writer continues. */
  goOn(memory: SharedArrayBuffer): void {
    this.pieces.push(new Piece(memory));
  }

  /** @returns copies of the unread answers, as packed texts. */
  take(): readonly Buffer[] {
    const taken = [this.unread()];
    while (this.pieces.length > 1) {
      if (this.pieces.shift() !== this.first) this.countTaken();
      this.at = 0;
      taken.push(this.unread());
    }
    return taken.filter(({ length }) => length > 0);
  }

  private countTaken(): void {
    Atomics.add(this.first.taken, 0, 1);
    Atomics.notify(this.first.taken, 0);
  }

  private unread(): Buffer {
    const [piece = this.first] = this.pieces;
    const written = Atomics.load(piece.written, 0);
    const unread = Buffer.from(piece.bytes.subarray(this.at, written));
    this.at = written;
    return unread;
  }
}
