import type { SpoolOptions } from './spooled-file';

/** What an entry of a Zip file may hold at most. */
export interface ZipLimits {
  /** Decompressed bytes for each compressed one. */
  readonly maxRatio: number;
  /** Decompressed bytes. */
  readonly maxBytes: number;
}

/** What reading needs from its surroundings. */
export interface ReadingOptions {
  readonly spool: SpoolOptions;
  /** Default: 1,000 times the compressed size, and 100 GiB. */
  readonly zip?: ZipLimits;
  /** Bytes that are read of decompressed content, and of each part of a workbook; default: all. */
  readonly maxBytes?: number;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal;
}
