import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claims';

/** Lets small batches share a write; after a crash, up to this much more is repeated. */
const GATHER_MS = 20;
const RETRY_MS = 500;
/** Limit for a member that leaves during an outage of the server: its successor repeats a little. */
const SETTLE_MS = 5_000;

/** Sets positions. @returns the partitions that were still held. */
export type MovePositions = (moves: readonly Claim[]) => Promise<ReadonlySet<number>>;

/** Writes a group's positions, one statement at a time; meanwhile the newest positions gather for the next. */
export class PositionWriter {
  private moves = new Map<number, Claim>();
  private writing: Promise<void> | undefined;

  constructor(private readonly move: MovePositions) {}

  put(claim: Claim): void {
    this.moves.set(claim.partition, claim);
    this.writing ??= this.writeSoon();
  }

  /** Resolves once all given positions have been written, or after some seconds without success. */
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
