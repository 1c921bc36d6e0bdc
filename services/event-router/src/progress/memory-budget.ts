/** The part of the budget from which on memory is made free, and down to which. */
const TIGHT = 0.8;
/** Up to here the log is read again for lanes that wait in it. */
const SPARE = 0.7;
const RELIEVED = 0.6;

/**
 * - events: as they stand in the log, or in a row
 * - deliveries: their places in queues
 * - values: what was made of events for requests
 */
export type MemoryKind = 'events' | 'deliveries' | 'values';

/** How many bytes of events, deliveries and values may be in memory; readers wait for room. */
export class MemoryBudget {
  private readonly bytesOf: Record<MemoryKind, number> = { events: 0, deliveries: 0, values: 0 };
  private usedBytes = 0;
  private isFull = false;
  private waiting: (() => void)[] = [];

  constructor(readonly maxBytes: number) {}

  get used(): number {
    return this.usedBytes;
  }

  /** Of each kind. */
  get usedByKind(): Readonly<Record<MemoryKind, number>> {
    return this.bytesOf;
  }

  /** From 80 % on: somebody has to let go of something. */
  get isTight(): boolean {
    return this.usedBytes >= TIGHT * this.maxBytes;
  }

  /** Below 60 %: enough was let go. */
  get isRelieved(): boolean {
    return this.usedBytes < RELIEVED * this.maxBytes;
  }

  /** Below 70 %: what reads the log again may go on, and leaves the rest to the live reader. */
  get hasSpare(): boolean {
    return this.hasRoom && this.usedBytes < SPARE * this.maxBytes;
  }

  /** Whether readers may go on: from 80 % until it is below 60 % again they wait. */
  get hasRoom(): boolean {
    return !this.isFull;
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** @param bytes less than 0: they are free again. */
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
