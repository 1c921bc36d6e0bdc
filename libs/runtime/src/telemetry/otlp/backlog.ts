import type { ExportResult } from '@opentelemetry/core';

/** Most spans, and most log records, that wait to be exported or are being exported. */
const MAX_WAITING = 2_048;

/** What becomes of the items of one signal. */
export interface BacklogEvents {
  readonly onDropped: (count: number) => void;
  readonly onFailed: (error: Error) => void;
}

/** Export as the SDK defines it: it calls back once, and never throws. */
type Export<Item> = (items: Item[], onResult: (result: ExportResult) => void) => void;

/**
 * Counts the items of one signal from their making to the end of their export, and drops those beyond a limit, so that
 * a receiver that hangs costs little memory.
 */
export class Backlog<Item> {
  private waiting = 0;

  constructor(private readonly events: BacklogEvents) {}

  /** @returns false: the item is dropped. */
  admit(): boolean {
    if (this.waiting >= MAX_WAITING) {
      this.events.onDropped(1);
      return false;
    }
    this.waiting += 1;
    return true;
  }

  /** The same export, whose end is noted. */
  watched(send: Export<Item>): Export<Item> {
    return (items, onResult) => {
      const { length } = items;
      send(items, (result) => {
        this.waiting -= length;
        if (result.error !== undefined) {
          this.events.onDropped(length);
          this.events.onFailed(result.error);
        }
        onResult(result);
      });
    };
  }
}
