import { DatabaseFault } from './database-fault';

const MIB = 1_048_576;

/** How much of what a server sends is taken: bytes as it sends them, and {@link MESSAGE_BYTES} for each message. */
interface AnswerLimits {
  /** Of an answer that is kept as a whole, with {@link CELL_BYTES} for each cell. */
  readonly answerBytes: number;
  /** Of a row that is read by itself, and of what comes before it. */
  readonly rowBytes: number;
}

/** The largest row that is read. */
export const MAX_ROW_BYTES = 64 * MIB;

/** Larger than every answer to a statement of our own, of which the outcomes of a batch are the largest. */
const LIMITS: AnswerLimits = { answerBytes: 16 * MIB, rowBytes: MAX_ROW_BYTES };

/** What a message takes in memory, however short it is. */
const MESSAGE_BYTES = 256;
/** What a cell of a row takes in memory, even if it is null. */
const CELL_BYTES = 64;

/** Bytes in words for people. */
const inWords = (bytes: number): string => `${String(Math.floor(bytes / MIB))} MiB`;

/** A row cannot be read. @param maxBytes that it may have */
export const rowTooLarge = (maxBytes: number): DatabaseFault =>
  new DatabaseFault('InvalidQuery', `a row takes more than ${inWords(maxBytes)}`);

/** Counts what a server sends, so that no more of it is taken than memory can hold. */
export class AnswerLimit {
  private counted = 0;
  private rows = false;

  constructor(private readonly limits = LIMITS) {}

  /** Whether each row of the answer is taken when it comes. */
  get isOfRows(): boolean {
    return this.rows;
  }

  /** The server is asked something, and is to answer. */
  begin(): void {
    this.counted = 0;
    this.rows = false;
  }

  /** What the server is asked gives rows, each of which is taken when it comes: see {@link row}. */
  beginRows(): void {
    this.begin();
    this.rows = true;
  }

  /** A message has begun. @param bytes that it has in all. @throws DatabaseFault when they are too many. */
  message(bytes: number): void {
    this.count(bytes + MESSAGE_BYTES);
  }

  /** A row has come whole. @param cells of it. @throws DatabaseFault when those of the answer are too many. */
  row(cells: number): void {
    if (this.isOfRows) this.counted = 0;
    else this.count(cells * CELL_BYTES);
  }

  private count(bytes: number): void {
    const { answerBytes, rowBytes } = this.limits;
    this.counted += bytes;
    if (this.counted <= (this.isOfRows ? rowBytes : answerBytes)) return;
    if (this.isOfRows) throw rowTooLarge(rowBytes);
    throw new DatabaseFault(
      'Unreachable',
      `the database server has sent more than ${inWords(answerBytes)} as one answer`,
    );
  }
}
