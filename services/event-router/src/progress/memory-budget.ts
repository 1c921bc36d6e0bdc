/** Share of the budget from which memory is freed; `RELIEVED` is the share down to which. */
const TIGHT = 0.8;
/** Share of the budget up to which detached lanes catch up. */
const SPARE = 0.7;
const RELIEVED = 0.6;

/**
 * - events: bodies and parsed forms of events from the log
 * - rows: the same of events that were loaded from the store, or from the log for a replay, and of those being loaded
 * - deliveries: entries in queues
 * - values: results of transformations
 */
export type MemoryKind = 'events' | 'rows' | 'deliveries' | 'values';

/** Limits the bytes of events, deliveries and values in memory; readers wait for room. */
export class MemoryBudget {
  private readonly bytesOf: Record<MemoryKind, number> = {
    events: 0,
    rows: 0,
    deliveries: 0,
    values: 0,
  };
  private usedBytes = 0;
  private isFull = false;
  private waiting: (() => void)[] = [];

  constructor(readonly maxBytes: number) {}

  get used(): number {
    return this.usedBytes;
  }

  /** Bytes of each kind. */
  get usedByKind(): Readonly<Record<MemoryKind, number>> {
    return this.bytesOf;
  }

  /** At least 80 % are used: lanes should be detached. */
  get isTight(): boolean {
    return this.usedBytes >= TIGHT * this.maxBytes;
  }

  /** Less than 60 % are used: enough was freed. */
  get isRelieved(): boolean {
    return this.usedBytes < RELIEVED * this.maxBytes;
  }

  /** Less than 70 % are used: lanes may catch up; the rest is reserved for the live reader. */
  get hasSpare(): boolean {
    return this.spareBytes > 0;
  }

  /** How many bytes may be taken until 70 % are used; 0 while readers may not continue. */
  get spareBytes(): number {
    return this.isFull ? 0 : Math.max(0, SPARE * this.maxBytes - this.usedBytes);
  }

  /** Whether readers may continue: false from 80 % until less than 60 % are used. */
  get hasRoom(): boolean {
    return !this.isFull;
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** @param bytes negative: releases them. */
  take(kind: MemoryKind, bytes: number): void {
    this.bytesOf[kind] += bytes;
    this.usedBytes += bytes;
    if (this.isTight) this.isFull = true;
    if (!this.isFull || !this.isRelieved) return;
    this.isFull = false;
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  release(kind: MemoryKind, bytes: number): void {
    this.take(kind, -bytes);
  }
}
