import { Fd, wasi } from '@bjorn3/browser_wasi_shim';

/** A descriptor that calls `next` for more bytes when the previous ones are used up. */
export class Input extends Fd {
  private rest: Uint8Array = new Uint8Array();

  constructor(private readonly next: () => Uint8Array) {
    super();
  }

  override fd_read(size: number): { ret: number; data: Uint8Array } {
    if (this.rest.length === 0) this.rest = this.next();
    const data = this.rest.subarray(0, size);
    this.rest = this.rest.subarray(size);
    return { ret: wasi.ERRNO_SUCCESS, data };
  }
}

/** A descriptor that keeps written bytes until they are taken, up to a limit. */
export class Output extends Fd {
  private parts: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {
    super();
  }

  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    this.length += data.length;
    if (this.length <= this.maxBytes) this.parts.push(data);
    return { ret: wasi.ERRNO_SUCCESS, nwritten: data.length };
  }

  /** Returns and clears the bytes. @returns undefined when more was written than the limit. */
  take(): Buffer | undefined {
    const bytes = this.length > this.maxBytes ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return bytes;
  }
}

/** A descriptor that discards everything. */
export class Nowhere extends Fd {
  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    return { ret: wasi.ERRNO_SUCCESS, nwritten: data.length };
  }
}
