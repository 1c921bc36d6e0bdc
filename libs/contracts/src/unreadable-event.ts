/**
 * A message of the events topic that this version cannot read. Its text gives the reason, and holds nothing of the
 * message.
 */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  /** A newer version writes messages of this form, and reads them. */
  readonly newer: boolean;

  constructor(reason: string, { newer = false, cause }: { newer?: boolean; cause?: unknown } = {}) {
    super(reason, { cause });
    this.newer = newer;
  }
}
