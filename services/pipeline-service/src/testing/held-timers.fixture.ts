import { eventually } from './eventually.fixture';

type Callback = (...args: unknown[]) => void;
type Begin = (callback: Callback, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

/** Later than any test. */
const NEVER_MS = 2_000_000_000;

/**
 * Holds the timers of one length: they end when the spec ends them, never by themselves. A deadline of the product is so
 * reached without waiting for it, and what comes before the deadline has all the time that a busy machine needs.
 */
export class HeldTimers {
  private readonly held = new Map<NodeJS.Timeout, () => void>();
  private readonly begin = globalThis.setTimeout as unknown as Begin;
  private readonly clear = globalThis.clearTimeout;
  private readonly signalAfter = AbortSignal.timeout.bind(AbortSignal);

  /** Holds timers, and signals of `AbortSignal.timeout`, that are set from now on. @param ms their length */
  constructor(private readonly ms: number) {
    const setTimeout: Begin = (callback, wantedMs, ...args) => {
      if (wantedMs !== ms) return this.begin(callback, wantedMs, ...args);
      return this.hold(() => {
        callback(...args);
      });
    };
    globalThis.setTimeout = Object.assign(setTimeout, this.begin) as never;
    globalThis.clearTimeout = (timer) => {
      this.held.delete(timer as NodeJS.Timeout);
      this.clear(timer);
    };
    AbortSignal.timeout = (wantedMs) => {
      if (wantedMs !== ms) return this.signalAfter(wantedMs);
      const controller = new AbortController();
      this.hold(() => {
        controller.abort(new DOMException('The operation was aborted', 'TimeoutError'));
      });
      return controller.signal;
    };
  }

  /** Number of timers that are set. */
  get size(): number {
    return this.held.size;
  }

  /** Ends all timers that are set, in the order in which they were. */
  end(): void {
    for (const [timer, callback] of [...this.held]) {
      this.clear(timer);
      if (this.held.delete(timer)) callback();
    }
  }

  /**
   * Ends the timers until a value is as it should be.
   *
   * @param look its present value.
   * @param isSo whether it is as it should be; by default, whether it is `true`.
   * @throws Error that shows what was seen last, after a minute.
   */
  async until<T>(look: () => Promise<T>, isSo?: (value: T) => boolean): Promise<void> {
    await eventually(() => {
      this.end();
      return look();
    }, isSo);
  }

  /** Ends the timers once, and resolves when as many are set again: those of work that is repeated. */
  async repeat(): Promise<void> {
    const { size } = this;
    this.end();
    await eventually(
      () => this.size,
      (again) => again >= size,
    );
  }

  /** Ends all timers, and holds none from now on. */
  release(): void {
    globalThis.setTimeout = this.begin as never;
    globalThis.clearTimeout = this.clear;
    AbortSignal.timeout = this.signalAfter;
    this.end();
  }

  private hold(callback: () => void): NodeJS.Timeout {
    // A real timer, so that it is one for whoever gets it.
    const timer = this.begin(callback, NEVER_MS + this.ms).unref();
    this.held.set(timer, callback);
    return timer;
  }
}
