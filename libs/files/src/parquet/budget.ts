import { FileFault } from '../content/file-fault';

/** Bytes of pages that are in memory at a time, decompressed. */
const MAX_PAGES_BYTES = 134_217_728;

/** Bounds what the pages of all columns take. */
export class Budget {
  private taken = 0;

  constructor(private readonly maxBytes = MAX_PAGES_BYTES) {}

  /** @throws FileFault InvalidFile beyond the limit. */
  take(bytes: number): void {
    this.taken += bytes;
    if (this.taken > this.maxBytes)
      throw new FileFault(
        'InvalidFile',
        `cannot be read in ${String(Math.floor(this.maxBytes / 1_048_576))} MiB of memory: its pages are too large, or its columns too many`,
      );
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }
}
