import { uptime } from 'node:os';

/** Time as the router sees it: delays, pace and leases run on `nowMs`, ages and due times across processes on `wallMs`. */
export abstract class Clock {
  /** Milliseconds that never go back, also across suspend where the system tells. */
  abstract nowMs(): number;

  /** Milliseconds since 1970, as the system has them now. */
  abstract wallMs(): number;

  /** Calls `work` once after `delayMs`, never before; returns what cancels it. */
  abstract after(delayMs: number, work: () => void): () => void;

  /** Calls `work` once everything that is at hand has been done. */
  abstract soon(work: () => void): void;
}

/** What the system tells of time, in milliseconds. */
export interface SystemTimes {
  /** Stands still while the machine is suspended. */
  monotonicMs(): number;
  /** Goes on while the machine is suspended; dear and coarse. */
  uptimeMs(): number;
  wallMs(): number;
}

const SYSTEM: SystemTimes = {
  monotonicMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
  wallMs: () => Date.now(),
};

/** A step of the wall clock against the monotonic one that may be the end of a suspend. */
const STEP_MS = 5;
/** The up-time is asked for this often even if the wall clock shows no step. */
const COMPARE_MS = 1_000;
/** A longer wait is waited for in parts: timers overflow at 2^31 ms, and stand still in suspend. */
const LONGEST_TIMER_MS = 60_000;

/**
 * The clock of the process. The monotonic clock and the up-time are compared, and the one that has moved further
 * counts, so that a lease does not outlive a suspend.
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
