import type { AnswerLimit } from './answer-limit';
import { GrowingBuffer } from './growing-buffer';

/** How a protocol divides what a server sends into messages. */
export interface Framing {
  /** Bytes from which it can be told how long a message is. */
  readonly headerBytes: number;
  /** Bytes of the message that begins there, its header included. @throws DatabaseFault when none can be so long. */
  messageBytes(bytes: Buffer, start: number): number;
  /**
   * Looks at a message as far as drivers would misread it.
   *
   * @returns the cells of the row that it is; undefined: it is none, or that cannot be told.
   * @throws DatabaseFault when it is not of the protocol.
   */
  check(bytes: Buffer, start: number, end: number): number | undefined;
}

/** Lets messages of a server through as wholes, counted and checked, before a driver keeps or reads anything of them. */
export class WholeMessages {
  /** Of the message that has begun in earlier chunks. */
  private readonly begun = new GrowingBuffer();
  /** Bytes with which it is whole, or with which it can be told. */
  private wanted: number;
  /** Whether that message is counted. */
  private isCounted = false;

  constructor(
    private readonly framing: Framing,
    private readonly limit: AnswerLimit,
    /** Is given messages, one behind the other. */
    private readonly onWhole: (messages: Buffer) => void,
  ) {
    this.wanted = framing.headerBytes;
  }

  /** Passes on the messages that are whole now. @throws DatabaseFault; what `onWhole` throws. */
  take(chunk: Buffer): void {
    if (this.begun.length + chunk.length < this.wanted) {
      this.begun.add(chunk);
      return;
    }
    const bytes = this.joined(chunk);
    const end = this.wholeIn(bytes);
    if (end < bytes.length) this.begun.add(bytes.subarray(end));
    if (end > 0) this.onWhole(bytes.subarray(0, end));
  }

  private joined(chunk: Buffer): Buffer {
    if (this.begun.length === 0) return chunk;
    this.begun.add(chunk);
    return this.begun.take();
  }

  /** @returns where the last whole message ends. */
  private wholeIn(bytes: Buffer): number {
    const { headerBytes } = this.framing;
    let start = 0;
    while (start + headerBytes <= bytes.length) {
      const length = this.framing.messageBytes(bytes, start);
      if (!this.isCounted) this.limit.message(length);
      this.isCounted = start + length > bytes.length;
      if (this.isCounted) {
        this.wanted = length;
        return start;
      }
      const cells = this.framing.check(bytes, start, start + length);
      if (cells !== undefined) this.limit.row(cells);
      start += length;
    }
    this.wanted = headerBytes;
    return start;
  }
}
