import { spool, type SpooledFile, type SpoolOptions } from './spooled-file';

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
  /** For what a format has to keep on disk beside the content. */
  readonly spool: SpoolOptions;
}

/** Content that is only spooled for whoever needs it. */
export const contentOf = (bytes: AsyncIterable<Uint8Array>, options: SpoolOptions): Content => ({
  bytes,
  spooled: () => spool(bytes, options),
  spool: options,
});
