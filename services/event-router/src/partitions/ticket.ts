import type { Partition } from './partition';

/** One event of a partition until all its deliveries have ended or are stored. */
export class Ticket {
  private open = 1;

  constructor(
    private readonly partition: Partition,
    readonly offset: number,
    /** What the message id is remembered by; `null` for a repeated message, whose first one speaks for it. */
    readonly hash: string | null,
    readonly digest: string,
    /** What the event costs of the memory budget, and what was made of it. */
    public bytes: number,
  ) {}

  /** What was made of the event stays in memory with it; less than 0: it does so no longer. */
  grow(bytes: number): void {
    this.bytes += bytes;
    this.partition.hold(bytes);
  }

  /** One more delivery holds the event. */
  hold(): void {
    this.open += 1;
  }

  /** One holder less; the last one finishes the event. The router itself is the first holder. */
  release(): void {
    this.open -= 1;
    if (this.open === 0) this.partition.finish(this);
  }
}
