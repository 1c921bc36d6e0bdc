const LENGTH_BYTES = 4;

/** A peer violated the protocol: its further messages are ignored. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** A message between the processes: a head of a few members, and an opaque body. */
export interface Message {
  readonly head: unknown;
  readonly body: Uint8Array;
}

const NO_BODY = new Uint8Array();

/** Encodes a message: the length of the rest, the length of its head, the head as JSON, the body. */
export const frame = (head: unknown, body: Uint8Array = NO_BODY): Buffer => {
  const text = JSON.stringify(head);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(2 * LENGTH_BYTES + length + body.length);
  bytes.writeUInt32BE(bytes.length - LENGTH_BYTES);
  bytes.writeUInt32BE(length, LENGTH_BYTES);
  bytes.write(text, 2 * LENGTH_BYTES);
  bytes.set(body, 2 * LENGTH_BYTES + length);
  return bytes;
};

/** Splits a stream of bytes into messages. Holds at most one incomplete frame. */
export class FrameReader {
  private parts: Buffer[] = [];
  private held = 0;
  private wanted = LENGTH_BYTES;
  private atLength = true;

  constructor(private readonly maxBytes: number) {}

  /**
   * Adds the next bytes.
   *
   * @returns the messages that they complete; their heads are parsed but not validated.
   * @throws ProtocolError when a frame is longer than allowed or its head is not JSON.
   */
  push(chunk: Buffer): readonly Message[] {
    this.parts.push(chunk);
    this.held += chunk.length;
    const messages: Message[] = [];
    while (this.held >= this.wanted) this.step(messages);
    return messages;
  }

  private step(messages: Message[]): void {
    const all = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts, this.held);
    if (!all) return;
    const piece = all.subarray(0, this.wanted);
    this.parts = [all.subarray(this.wanted)];
    this.held -= this.wanted;
    if (!this.atLength) messages.push(messageIn(piece));
    this.wanted = this.atLength ? this.checked(piece.readUInt32BE()) : LENGTH_BYTES;
    this.atLength = !this.atLength;
  }

  private checked(length: number): number {
    if (length > this.maxBytes)
      throw new ProtocolError(`a frame of ${length} bytes is over ${this.maxBytes}`);
    return length;
  }
}

const messageIn = (piece: Buffer): Message => {
  const end = piece.length < LENGTH_BYTES ? Infinity : LENGTH_BYTES + piece.readUInt32BE();
  if (end > piece.length) throw new ProtocolError('a frame is shorter than its head');
  return { head: parsed(piece.subarray(LENGTH_BYTES, end)), body: piece.subarray(end) };
};

const parsed = (head: Buffer): unknown => {
  try {
    return JSON.parse(head.toString()) as unknown;
  } catch (cause) {
    throw new ProtocolError('the head of a frame is no JSON', { cause });
  }
};
