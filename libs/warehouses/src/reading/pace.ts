import { setImmediate } from 'node:timers/promises';
import { late } from './late';

/** Milliseconds of work after which others have their turn. */
const MAX_AT_ONCE_MS = 5;

/** The time that a piece of work may take, and turns of other work in it. */
export class Pace {
  private readonly endMs: number;
  private turnAtMs = performance.now() + MAX_AT_ONCE_MS;

  /** @param limitMs for all of it. @param signal gives it up. */
  constructor(
    limitMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.endMs = performance.now() + limitMs;
  }

  /** Whether the time is over. */
  isOver(): boolean {
    return performance.now() >= this.endMs;
  }

  /** To be awaited between parts of the work. @throws WarehouseFault `unreachable` when it was given up */
  async turn(): Promise<void> {
    if (performance.now() < this.turnAtMs) return;
    await setImmediate();
    if (this.signal.aborted) throw late();
    this.turnAtMs = performance.now() + MAX_AT_ONCE_MS;
  }
}
