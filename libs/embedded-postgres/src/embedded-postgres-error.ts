/** Why an embedded server cannot be started. An operator can fix every cause except `StartFailed`. */
export type EmbeddedPostgresFault =
  | 'UnsupportedPlatform'
  | 'NoAccount'
  | 'FolderInUse'
  | 'FolderLost'
  | 'NoCluster'
  | 'OtherMajorVersion'
  | 'PortInUse'
  | 'DiskFull'
  | 'StartFailed';

/** An embedded server could not be started or stopped. The message names the remedy and never contains the password. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  constructor(
    readonly code: EmbeddedPostgresFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
