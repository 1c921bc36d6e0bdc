import type { PipelineId } from '@penstock/contracts';
import {
  countKey,
  type Ending,
  type PartitionChanges,
  type Postponed,
  type Settled,
  type StoredDelivery,
} from '../store/changes';
import type { PartitionProgress } from '../store/router-store';
import { FinishedPrefix } from './finished-prefix';
import type { Ticket } from './ticket';

interface Uncommitted {
  counts: Map<string, number>;
  messages: Map<string, string>;
  stored: StoredDelivery[];
  postponed: Postponed[];
  settled: Settled[];
  bytes: number;
  changed: boolean;
}

const nothing = (): Uncommitted => ({
  counts: new Map(),
  messages: new Map(),
  stored: [],
  postponed: [],
  settled: [],
  bytes: 0,
  changed: false,
});

/** A taken snapshot of a partition's changes, to be written and then confirmed or given back. */
export interface Taken {
  readonly partition: Partition;
  readonly changes: PartitionChanges;
  readonly bytes: number;
}

/** One partition of the events topic under this process's lease: what is in flight and what is to be committed. */
export class Partition {
  private readonly prefix: FinishedPrefix;
  private readonly recoveredEnd: number;
  private received: number;
  private uncommitted = nothing();
  /** Message hashes of events in flight, and of finished ones until they are committed. */
  private readonly recent = new Map<string, string>();
  private lost = false;
  private stopping = false;
  private sending = 0;
  private onQuiet: () => void = () => undefined;
  private heldBytes = 0;

  constructor(
    readonly number: number,
    readonly epoch: number,
    { next, beyond }: PartitionProgress,
    private readonly onChange: () => void,
  ) {
    this.prefix = new FinishedPrefix(next, beyond);
    this.recoveredEnd = beyond.at(-1)?.end ?? next;
    this.received = next;
  }

  /** Nothing of it counts any more: another owner may work on it. */
  get isLost(): boolean {
    return this.lost;
  }

  get next(): number {
    return this.prefix.next;
  }

  /** Whether a request with its events may begin, as far as the partition is concerned. */
  get maySend(): boolean {
    return !this.lost && !this.stopping;
  }

  lose(): void {
    this.lost = true;
  }

  /** No further request begins; resolves once none is in flight. */
  async quiesce(): Promise<void> {
    this.stopping = true;
    if (this.sending > 0) await new Promise<void>((resolve) => (this.onQuiet = resolve));
  }

  /** A request with its events begins. */
  enter(): void {
    this.sending += 1;
  }

  leave(): void {
    this.sending -= 1;
    if (this.sending === 0) this.onQuiet();
  }

  /** Whether the offset is new to this owner; offsets that the log skipped are finished on the way. */
  receive(offset: number): boolean {
    if (offset < this.received || (offset < this.recoveredEnd && this.prefix.has(offset))) {
      this.received = Math.max(this.received, offset + 1);
      return false;
    }
    if (offset > this.received) this.finishGap(this.received, offset);
    this.received = offset + 1;
    return true;
  }

  /** The digest under which the message id was seen in this process and is not committed yet. */
  recentDigest(hash: string): string | undefined {
    return this.recent.get(hash);
  }

  /** An event is in memory until its end is committed. */
  begin({ hash, digest, bytes }: Ticket): void {
    this.hold(bytes);
    if (hash !== null) this.recent.set(hash, digest);
  }

  /** More of its events is in memory, until their end is committed. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
  }

  finish({ offset, hash, digest, bytes }: Ticket): void {
    this.prefix.finish(offset);
    if (hash !== null) this.uncommitted.messages.set(hash, digest);
    this.uncommitted.bytes += bytes;
    this.touch();
  }

  count(pipeline: PipelineId, ending: Ending, nowMs: number): void {
    const key = countKey(pipeline, ending, nowMs);
    this.uncommitted.counts.set(key, (this.uncommitted.counts.get(key) ?? 0) + 1);
    this.touch();
  }

  store(delivery: StoredDelivery): void {
    this.uncommitted.stored.push(delivery);
    this.touch();
  }

  postpone(postponed: Postponed): void {
    this.uncommitted.postponed.push(postponed);
    this.touch();
  }

  settle(settled: Settled): void {
    this.uncommitted.settled.push(settled);
    this.touch();
  }

  /** What there is to commit, taken out; undefined when there is nothing. */
  take(): Taken | undefined {
    if (!this.uncommitted.changed || this.lost) return undefined;
    const { counts, messages, stored, postponed, settled, bytes } = this.uncommitted;
    this.uncommitted = nothing();
    const changes = {
      partition: this.number,
      epoch: this.epoch,
      next: this.prefix.next,
      beyond: this.prefix.beyond,
      counts,
      messages,
      stored,
      postponed,
      settled,
    };
    return { partition: this, changes, bytes };
  }

  /** Bytes of its events that are in memory. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** The changes are durable. */
  confirm({ changes, bytes }: Taken): void {
    this.heldBytes -= bytes;
    for (const hash of changes.messages.keys()) this.recent.delete(hash);
  }

  /** The changes could not be written: they come first in the next ones. */
  giveBack({ changes, bytes }: Taken): void {
    const later = this.uncommitted;
    this.uncommitted = {
      counts: new Map(changes.counts),
      messages: new Map([...changes.messages, ...later.messages]),
      stored: [...changes.stored, ...later.stored],
      postponed: [...changes.postponed, ...later.postponed],
      settled: [...changes.settled, ...later.settled],
      bytes: bytes + later.bytes,
      changed: true,
    };
    for (const [key, count] of later.counts)
      this.uncommitted.counts.set(key, (this.uncommitted.counts.get(key) ?? 0) + count);
  }

  private finishGap(start: number, end: number): void {
    for (let offset = start; offset < Math.min(end, this.recoveredEnd); offset += 1)
      if (!this.prefix.has(offset)) this.prefix.finish(offset);
    this.prefix.finishRange(Math.max(start, this.recoveredEnd), end);
    this.touch();
  }

  private touch(): void {
    this.uncommitted.changed = true;
    this.onChange();
  }
}
