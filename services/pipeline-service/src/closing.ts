/** What was opened, to be closed in the opposite order: all of it, whatever fails. */
export class Closing {
  private readonly closers: (() => Promise<void>)[] = [];
  private closed: Promise<void> | undefined;

  add(close: () => Promise<void>): void {
    this.closers.unshift(close);
  }

  /** Twice is as once. @throws the first failure, once everything was tried. */
  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.closers) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
