import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogRecord } from '@penstock/messaging';

/** Showing costs every client, so that what comes within this time is shown together. */
const PAUSE_MS = 200;
/** After so many characters what was written is sent, so that a client that reads is never taken for a slow one. */
const MAX_AT_ONCE = 32_768;

/** Collects records of the log until they are shown: at once after a pause, else together, before they are many. */
export class CollectedRecords {
  private waiting: LogRecord[] = [];
  private characters = 0;
  private shownMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly show: (records: readonly LogRecord[]) => void) {}

  /** Takes records in their order. Resolves when there is room for more. */
  async add(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) {
      this.waiting.push(record);
      this.characters += record.value?.length ?? 0;
      if (this.characters < MAX_AT_ONCE) continue;
      this.showAll();
      await nextTurn();
    }
    const waitMs = this.shownMs + PAUSE_MS - performance.now();
    if (waitMs <= 0) this.showAll();
    else
      this.timer ??= setTimeout(() => {
        this.showAll();
      }, waitMs).unref();
  }

  /** Shows nothing any more. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private showAll(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const records = this.waiting;
    this.waiting = [];
    this.characters = 0;
    if (this.isStopped || records.length === 0) return;
    this.shownMs = performance.now();
    this.show(records);
  }
}
