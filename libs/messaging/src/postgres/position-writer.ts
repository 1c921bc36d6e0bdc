import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claims';

/** Many small batches share a write; what is repeated after a crash grows by as much. */
const GATHER_MS = 20;
const RETRY_MS = 500;
/** A member that leaves while the server is away does not wait for it: the successor repeats a little. */
const SETTLE_MS = 5_000;

/** Sets positions. @returns the partitions that were still held. */
export type MovePositions = (moves: readonly Claim[]) => Promise<ReadonlySet<number>>;

/** Writes positions of a group one statement at a time; while one is written the newest of the next gather. */
export class PositionWriter {
  private moves = new Map<number, Claim>();
  private writing: Promise<void> | undefined;

  constructor(private readonly move: MovePositions) {}

  put(claim: Claim): void {
    this.moves.set(claim.partition, claim);
    this.writing ??= this.writeSoon();
  }

  /** Resolves once all that was put has been written, or cannot be for some seconds. */
  async settle(): Promise<void> {
    if (!this.writing) return;
    const timeout = new AbortController();
    await Promise.race([this.writing, sleep(SETTLE_MS, undefined, { signal: timeout.signal })]);
    timeout.abort();
  }

  /** @throws Error when the partition is no longer held. */
  async write(claim: Claim): Promise<void> {
    const held = await this.move([claim]);
    if (!held.has(claim.partition)) throw new Error(`partition ${claim.partition} is not held`);
  }

  private async writeSoon(): Promise<void> {
    while (this.moves.size > 0) {
      await sleep(GATHER_MS);
      const { moves } = this;
      this.moves = new Map();
      await this.move([...moves.values()]).catch(async () => {
        this.moves = new Map([...moves, ...this.moves]);
        await sleep(RETRY_MS);
      });
    }
    this.writing = undefined;
  }
}
