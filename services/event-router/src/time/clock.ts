import { uptime } from 'node:os';

/** The router's clock: delays, rates and leases use `nowMs`, ages and due times across processes use `wallMs`. */
export abstract class Clock {
  /** Monotonic milliseconds; count suspends too, where the system provides that. */
  abstract nowMs(): number;

  /** Milliseconds since 1970 by the system's clock. */
  abstract wallMs(): number;

  /** Calls `work` once after `delayMs`, never before; returns a function that cancels it. */
  abstract after(delayMs: number, work: () => void): () => void;

  /** Calls `work` in a later turn of the event loop. */
  abstract soon(work: () => void): void;
}

/** The clocks of the system, in milliseconds. */
export interface SystemTimes {
  /** Stands still while the machine is suspended. */
  monotonicMs(): number;
  /** Advances while the machine is suspended; slow to read and coarse. */
  uptimeMs(): number;
  wallMs(): number;
}

const SYSTEM: SystemTimes = {
  monotonicMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
  wallMs: () => Date.now(),
};

/** A step of the wall clock against the monotonic one above which the up-time is compared: it may be a suspend. */
const STEP_MS = 5;
/** Interval at which the up-time is compared even without a step of the wall clock. */
const COMPARE_MS = 1_000;
/** Longer waits are split: timers overflow at 2^31 ms, and stand still during a suspend. */
const LONGEST_TIMER_MS = 60_000;

/**
 * The clock of the process. It compares the monotonic clock with the up-time and uses the one that has advanced
 * further, so that a lease does not survive a suspend.
 */
export class SystemClock extends Clock {
  private readonly uptimeOffsetMs: number;
  private suspendedMs = 0;
  private wallOffsetMs: number;
  private comparedMs: number;

  constructor(private readonly system: SystemTimes = SYSTEM) {
    super();
    const monotonicMs = system.monotonicMs();
    this.uptimeOffsetMs = system.uptimeMs() - monotonicMs;
    this.wallOffsetMs = system.wallMs() - monotonicMs;
    this.comparedMs = monotonicMs;
  }

  override nowMs(): number {
    const monotonicMs = this.system.monotonicMs();
    const wallOffsetMs = this.system.wallMs() - monotonicMs;
    const hasStepped = Math.abs(wallOffsetMs - this.wallOffsetMs) > STEP_MS;
    if (hasStepped || monotonicMs - this.comparedMs > COMPARE_MS) {
      this.wallOffsetMs = wallOffsetMs;
      this.comparedMs = monotonicMs;
      const aheadMs = this.system.uptimeMs() - monotonicMs - this.uptimeOffsetMs;
      this.suspendedMs = Math.max(this.suspendedMs, aheadMs);
    }
    return monotonicMs + this.suspendedMs;
  }

  override wallMs(): number {
    return this.system.wallMs();
  }

  override after(delayMs: number, work: () => void): () => void {
    const dueMs = this.nowMs() + delayMs;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const restMs = Math.min(dueMs - this.nowMs(), LONGEST_TIMER_MS);
      timer = setTimeout(() => {
        if (this.nowMs() < dueMs) wait();
        else work();
      }, Math.ceil(restMs));
    };
    wait();
    return () => {
      clearTimeout(timer);
    };
  }

  override soon(work: () => void): void {
    setImmediate(work);
  }
}
