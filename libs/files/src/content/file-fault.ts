/**
 * Why a file cannot be read:
 *
 * - `InvalidPath`: the path cannot be one of the storage, or there is no file.
 * - `InvalidPlaceholder`: the path holds a placeholder.
 * - `InvalidFile`: the content is not of its format or compression, is cut off or damaged, or is beyond a limit.
 * - `NoColumnsFound`: there are no columns, or their names cannot be the names of properties.
 * - `SheetNotExist`: there is no sheet of the name.
 * - `Refused`: the storage refuses the credentials or the request, or may not be reached: only other settings help. A
 *   repetition may lock an account.
 * - `Unavailable`: the storage cannot be reached, or is too busy; the same may succeed later.
 */
export type FileFaultKind =
  | 'InvalidPath'
  | 'InvalidPlaceholder'
  | 'InvalidFile'
  | 'NoColumnsFound'
  | 'SheetNotExist'
  | 'Refused'
  | 'Unavailable';

/** A file cannot be read at all, or not any further. The message is for people and holds no secret. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  constructor(
    readonly kind: FileFaultKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
