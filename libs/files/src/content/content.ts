import type { ReadingOptions } from './reading-options';
import { spool, type SpooledFile } from './spooled-file';

/** The content of a file, decompressed. It can be read once, in one of the two ways. */
export interface Content {
  /** From front to back. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /**
   * In any order: it is copied to disk first.
   *
   * @throws FileFault
   */
  spooled(): Promise<SpooledFile>;
  /** For what a format reads or keeps on disk beside the content. */
  readonly options: ReadingOptions;
}

/** Content that is only spooled for whoever needs it. */
export const contentOf = (bytes: AsyncIterable<Uint8Array>, options: ReadingOptions): Content => ({
  bytes,
  spooled: () => spool(bytes, options.spool),
  options,
});
