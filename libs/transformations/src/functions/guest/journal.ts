import { TEXT_LENGTH_BYTES } from '../wire/packed-texts';

/** Before the bytes of a piece: how many of them are whole, and in the first piece how many others were taken. */
const HEADER_BYTES = 8;
/** Further pieces that were not taken yet: whoever writes waits then. */
const MAX_UNTAKEN = 4;
const FIRST_BYTES = 256 * 1024;
const FURTHER_BYTES = 1024 * 1024;
/** UTF-8 of one UTF-16 code unit. */
const MAX_BYTES_A_UNIT = 3;

/** A piece of memory that two threads share. */
class Piece {
  readonly whole: Int32Array<SharedArrayBuffer>;
  readonly taken: Int32Array<SharedArrayBuffer>;
  readonly bytes: Buffer;

  constructor(readonly memory: SharedArrayBuffer) {
    this.whole = new Int32Array(memory, 0, 1);
    this.taken = new Int32Array(memory, Int32Array.BYTES_PER_ELEMENT, 1);
    this.bytes = Buffer.from(memory, HEADER_BYTES);
  }
}

const newPiece = (bytes: number): Piece => new Piece(new SharedArrayBuffer(HEADER_BYTES + bytes));

export const newJournalMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(HEADER_BYTES + FIRST_BYTES);

/**
 * What a thread has answered, in memory that outlives it: whoever ends the thread still reads each answer that was
 * whole by then. Answers are packed texts. The thread waits while several pieces of memory have not been taken.
 */
export class JournalWriter {
  private readonly first: Piece;
  /** Further pieces of the usual size: one is written again only after it was taken. */
  private readonly usual: (Piece | undefined)[] = [];
  private piece: Piece;
  private further = 0;
  private at = 0;

  /** @param onFurtherPiece called with each further piece of memory, before anything stands in it. */
  constructor(
    memory: SharedArrayBuffer,
    private readonly onFurtherPiece: (memory: SharedArrayBuffer) => void,
  ) {
    this.first = new Piece(memory);
    this.piece = this.first;
  }

  /** Begins the next batch: the reader has taken all of the one before. */
  begin(): void {
    this.piece = this.first;
    this.further = 0;
    this.at = 0;
  }

  append(answer: string | Uint8Array): void {
    this.reserve(answer);
    const { bytes, whole } = this.piece;
    const start = this.at + TEXT_LENGTH_BYTES;
    const length = typeof answer === 'string' ? bytes.write(answer, start) : answer.length;
    if (typeof answer !== 'string') bytes.set(answer, start);
    bytes.writeUInt32LE(length, this.at);
    this.at = start + length;
    Atomics.store(whole, 0, this.at);
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
    Atomics.store(piece.whole, 0, 0);
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

/** The other end of a {@link JournalWriter}. */
export class JournalReader {
  private readonly first: Piece;
  private pieces: Piece[];
  private at = 0;

  constructor(memory: SharedArrayBuffer) {
    this.first = new Piece(memory);
    this.pieces = [this.first];
  }

  /** Forgets what is there, before the writer begins the next batch. */
  begin(): void {
    Atomics.store(this.first.whole, 0, 0);
    Atomics.store(this.first.taken, 0, 0);
    this.pieces = [this.first];
    this.at = 0;
  }

  /** The writer goes on in another piece of memory. */
  goOn(memory: SharedArrayBuffer): void {
    this.pieces.push(new Piece(memory));
  }

  /** @returns copies of the answers that were not taken yet, as packed texts. */
  take(): readonly Buffer[] {
    const taken = [this.rest()];
    while (this.pieces.length > 1) {
      if (this.pieces.shift() !== this.first) this.countTaken();
      this.at = 0;
      taken.push(this.rest());
    }
    return taken.filter(({ length }) => length > 0);
  }

  private countTaken(): void {
    Atomics.add(this.first.taken, 0, 1);
    Atomics.notify(this.first.taken, 0);
  }

  private rest(): Buffer {
    const [piece = this.first] = this.pieces;
    const whole = Atomics.load(piece.whole, 0);
    const rest = Buffer.from(piece.bytes.subarray(this.at, whole));
    this.at = whole;
    return rest;
  }
}
