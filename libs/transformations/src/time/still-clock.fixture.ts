import type { Clock } from './clock';

interface Alarm {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock that only advances when the test does. */
export class StillClock implements Clock {
  private ms = 0;
  private alarms: readonly Alarm[] = [];

  /** Remaining milliseconds of the pending alarms. */
  get delays(): readonly number[] {
    return this.alarms.map(({ dueMs }) => dueMs - this.ms);
  }

  nowMs(): number {
    return this.ms;
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { dueMs: this.ms + delayMs, callback };
    this.alarms = [...this.alarms, alarm];
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** Advances the time and calls the alarms that are due. */
  async advance(byMs: number): Promise<void> {
    this.ms += byMs;
    const due = this.alarms.filter(({ dueMs }) => dueMs <= this.ms);
    this.alarms = this.alarms.filter(({ dueMs }) => dueMs > this.ms);
    for (const { callback } of due) callback();
    await new Promise(setImmediate);
  }
}
