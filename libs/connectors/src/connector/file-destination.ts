import type { Settings } from './connector';
import type { StorageContext } from './file-storage';

/** A file that is to be written. */
export interface NewFile {
  /** Relative to the root of the storage, without placeholders. */
  readonly path: string;
  /** Media type of the bytes. */
  readonly contentType: string;
  /** The content, once. What it throws ends the writing. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What a storage whose files can be written must be able to do. */
export interface FileDestination {
  /** Whether a file may be written again when it is not known what has come of a writing. */
  readonly isRepeatable: boolean;
  /**
   * The place of a file, for people. Nothing is looked up.
   *
   * @throws FileFault InvalidPath, InvalidPlaceholder when it cannot be a path of the storage.
   */
  absolutePath(path: string, settings: Settings): string;
  /**
   * Writes a file in the place of the one that is there, if any. Unless the storage itself says otherwise, it appears
   * when it is complete; a writing that fails leaves what was there before.
   *
   * @throws FileFault InvalidPath, InvalidPlaceholder, Refused, Unavailable; what the content throws.
   */
  write(file: NewFile, settings: Settings, context: StorageContext): Promise<void>;
}
