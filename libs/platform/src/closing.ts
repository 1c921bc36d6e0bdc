/** Closes resources in the opposite order of their opening: all of them, whichever fails. */
export class Closing {
  private readonly closers: (() => Promise<void>)[] = [];
  private closed: Promise<void> | undefined;

  add(close: () => Promise<void>): void {
    this.closers.unshift(close);
  }

  /** A second call has no effect. @throws the first failure, after every resource was closed or has failed to close. */
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
