import type { Clock } from '../time/clock';

/** Waits that all end when their owner is closed. */
export class Pauses {
  private readonly ends = new Set<() => void>();
  private hasClosed = false;

  constructor(private readonly clock: Clock) {}

  get isClosed(): boolean {
    return this.hasClosed;
  }

  /**
   * Resolves after a time, or once they are closed.
   *
   * @throws the signal's reason when it is aborted before.
   */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms > 0 && !this.hasClosed) await this.untilEnd(ms, signal);
    signal?.throwIfAborted();
  }

  /** Ends all of them; there are none from then on. */
  close(): void {
    this.hasClosed = true;
    for (const end of this.ends) end();
  }

  private untilEnd(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        signal?.removeEventListener('abort', end);
        this.ends.delete(end);
        resolve();
      };
      const callOff = this.clock.after(ms, end);
      this.ends.add(end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
