import { setImmediate as macrotask } from 'node:timers/promises';
import { Clock } from '../time/clock';

interface Timer {
  readonly dueMs: number;
  readonly work: () => void;
}

/** More turns than this at one time mean an endless loop in the tested code. */
const RESTLESS = 10_000;

const WALL_MS = Date.UTC(2026, 0, 1);

/** A clock that moves only with its methods. Between two timers, all pending promises are processed. */
export class FakeClock extends Clock {
  private readonly timers = new Set<Timer>();
  private readonly queue: (() => void)[] = [];

  /**
   * @param monotonicMs initial value of {@link nowMs}.
   * @param epochMs initial value of {@link wallMs}.
   */
  constructor(
    private monotonicMs = 0,
    private epochMs = WALL_MS,
  ) {
    super();
  }

  override nowMs(): number {
    return this.monotonicMs;
  }

  override wallMs(): number {
    return this.epochMs;
  }

  override after(delayMs: number, work: () => void): () => void {
    const timer = { dueMs: this.monotonicMs + Math.max(0, delayMs), work };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  }

  override soon(work: () => void): void {
    this.queue.push(work);
  }

  /** Number of timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.timers.size;
  }

  /** Steps the wall clock, as a correction of the system's time does. */
  setWallMs(epochMs: number): void {
    this.epochMs = epochMs;
  }

  /** Moves both clocks without running timers, as if the process were frozen; they run late, with {@link advance}. */
  freeze(durationMs: number): void {
    this.monotonicMs += durationMs;
    this.epochMs += durationMs;
  }

  /**
   * Runs the timers that are due within the time, in order, each at its own time, and processes promises in between.
   */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.monotonicMs + durationMs;
    for (let turns = 0, turnMs = NaN; ; turns += 1) {
      await this.settle();
      const timer = this.next(endMs);
      if (timer === undefined) break;
      this.moveTo(timer.dueMs);
      if (this.monotonicMs !== turnMs) [turns, turnMs] = [0, this.monotonicMs];
      if (turns > RESTLESS) throw new Error('timers without delay are set again and again');
      this.timers.delete(timer);
      timer.work();
    }
    this.moveTo(endMs);
  }

  /** Processes what needs no time: promises, and the work of {@link soon}, in order. */
  async settle(): Promise<void> {
    await macrotask();
    for (let turns = 0; ; turns += 1) {
      const work = this.queue.shift();
      if (work === undefined) return;
      if (turns > RESTLESS) throw new Error('work without delay is asked for again and again');
      work();
      await macrotask();
    }
  }

  private next(endMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers)
      if (timer.dueMs <= endMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
    return first;
  }

  private moveTo(targetMs: number): void {
    const stepMs = Math.max(0, targetMs - this.monotonicMs);
    this.monotonicMs += stepMs;
    this.epochMs += stepMs;
  }
}
