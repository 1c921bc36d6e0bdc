/** Reads a stream in pieces of given sizes. */
export class ByteReader {
  private rest: Uint8Array = new Uint8Array();
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.chunks = bytes[Symbol.asyncIterator]();
  }

  /** @returns so many bytes; fewer at the end of the stream. */
  async read(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      if (this.rest.length === 0) {
        const next = await this.chunks.next();
        if (next.done === true) break;
        this.rest = next.value;
      }
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    const [first = new Uint8Array()] = parts;
    return parts.length < 2 ? first : Buffer.concat(parts);
  }

  /** Ends the stream wherever it stands. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
