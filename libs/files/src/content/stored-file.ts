/** A file of a storage, opened for reading from the start. */
export interface StoredFile {
  /**
   * The content, once. Rejects with `FileFault`. Whoever stops reading early, by `return`, `break` or an error,
   * releases what the file holds; so does {@link close}.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** When it was last changed; undefined where the storage does not say. */
  readonly modifiedAt: Date | undefined;
  /** Bytes; undefined where the storage does not say. */
  readonly size: number | undefined;
  /** Differs when the content does, such as an `ETag`; undefined where the storage has none. */
  readonly tag: string | undefined;
  /** Releases what the file holds; may be called again, and without having read. */
  close(): Promise<void>;
}
