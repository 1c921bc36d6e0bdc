/** Why an embedded server cannot be had. Each but `StartFailed` is something an operator can change. */
export type EmbeddedPostgresFault =
  | 'UnsupportedPlatform'
  | 'NoAccount'
  | 'FolderInUse'
  | 'FolderLost'
  | 'OtherMajorVersion'
  | 'PortInUse'
  | 'DiskFull'
  | 'StartFailed';

/** The message names the remedy; it never holds the password. */
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
