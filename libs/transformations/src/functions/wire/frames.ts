const HEADER_BYTES = 4;

/** A peer broke the protocol: nothing more that it says is believed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** A message with its length before it, as one piece. */
export const frame = (message: unknown): Buffer => {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
  bytes.writeUInt32BE(length);
  bytes.write(text, HEADER_BYTES);
  return bytes;
};

/** Cuts a stream of bytes back into messages. Holds at most one unfinished frame. */
export class FrameReader {
  private parts: Buffer[] = [];
  private held = 0;
  private wanted = HEADER_BYTES;
  private header = true;

  constructor(private readonly maxBytes: number) {}

  /**
   * Takes the next bytes in.
   *
   * @returns the messages that they complete, parsed but of any shape.
   * @throws ProtocolError when a frame is longer than allowed or holds no JSON.
   */
  push(chunk: Buffer): readonly unknown[] {
    this.parts.push(chunk);
    this.held += chunk.length;
    const messages: unknown[] = [];
    while (this.held >= this.wanted) this.step(messages);
    return messages;
  }

  private step(messages: unknown[]): void {
    const all = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts, this.held);
    if (!all) return;
    const piece = all.subarray(0, this.wanted);
    this.parts = [all.subarray(this.wanted)];
    this.held -= this.wanted;
    if (!this.header) messages.push(parsed(piece));
    this.wanted = this.header ? this.checked(piece.readUInt32BE()) : HEADER_BYTES;
    this.header = !this.header;
  }

  private checked(length: number): number {
    if (length > this.maxBytes)
      throw new ProtocolError(`a frame of ${length} bytes is over ${this.maxBytes}`);
    return length;
  }
}

const parsed = (piece: Buffer): unknown => {
  try {
    return JSON.parse(piece.toString()) as unknown;
  } catch (cause) {
    throw new ProtocolError('a frame holds no JSON', { cause });
  }
};
