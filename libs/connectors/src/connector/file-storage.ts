import type { GuardedSockets } from '@penstock/egress';
import type { StoredFile } from '@penstock/files';
import type { CallContext } from './call-context';
import type { Settings } from './connector';

/** What goes with every call to a storage. */
export interface StorageContext extends CallContext {
  /** For storages that do not speak HTTP. */
  readonly sockets: GuardedSockets;
}

/** What a storage whose files can be read must be able to do. */
export interface FileStorage {
  /**
   * The place of a file, for people. Nothing is looked up.
   *
   * @param path relative to the root of the storage.
   * @throws FileFault InvalidPath, InvalidPlaceholder when it cannot be a path of the storage.
   */
  absolutePath(path: string, settings: Settings): string;
  /**
   * Opens a file for reading.
   *
   * @throws FileFault InvalidPath, InvalidPlaceholder, Refused, Unavailable
   */
  open(path: string, settings: Settings, context: StorageContext): Promise<StoredFile>;
}
