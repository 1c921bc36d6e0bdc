import type { MemoryBudget } from '../progress/memory-budget';
import type { ReadSlice } from '../reading/live-routing';

export interface ReplayedBodiesContext {
  readonly read: ReadSlice;
  readonly budget: MemoryBudget;
}

/** Bytes of bodies that are kept of each partition of a replay. */
const MAX_BYTES = 1024 * 1024;
const SLICE_BYTES = 65_536;

/**
 * The records of open deliveries of a replay: those that were read lately are in memory, the others are read from the log
 * again.
 */
export class ReplayedBodies {
  private readonly kept = new Map<number, string>();
  private bytes = 0;

  /** @param isOpen whether a delivery of the record at this offset is open. */
  constructor(
    private readonly partition: number,
    private readonly isOpen: (offset: number) => boolean,
    private readonly context: ReplayedBodiesContext,
  ) {}

  /** Keeps a record in memory, if there is room. */
  keep(offset: number, body: string): void {
    const bytes = Buffer.byteLength(body);
    if (this.bytes + bytes > MAX_BYTES || !this.context.budget.hasSpare || this.kept.has(offset))
      return;
    this.kept.set(offset, body);
    this.take(bytes);
  }

  /** The record at an offset, which leaves memory; undefined: it has left the log. Rejects while the log is unavailable. */
  async takeOut(offset: number): Promise<string | undefined> {
    const kept = this.forget(offset);
    if (kept !== undefined) return kept;
    const { records } = await this.context.read(this.partition, offset, SLICE_BYTES);
    let found: string | undefined;
    for (const { offset: at, value } of records)
      if (at === offset) found = value ?? undefined;
      else if (value !== null && this.isOpen(at)) this.keep(at, value);
    return found;
  }

  /** Removes a record from memory. */
  forget(offset: number): string | undefined {
    const body = this.kept.get(offset);
    if (body === undefined) return undefined;
    this.kept.delete(offset);
    this.take(-Buffer.byteLength(body));
    return body;
  }

  clear(): void {
    this.kept.clear();
    this.take(-this.bytes);
  }

  private take(bytes: number): void {
    this.bytes += bytes;
    this.context.budget.take('events', bytes);
  }
}
