import type { LogRecord, LogSlice } from '@penstock/messaging';
import type { MemoryBudget } from '../progress/memory-budget';
import type { LiveSamples } from '../live/live-samples';
import type { OwnedPartition } from '../progress/owned-partition';
import { type Incoming, readIncoming } from '../routing/incoming';
import type { IncomingEvent } from '../routing/incoming-event';
import type { Routes } from '../routing/routes';
import type { BaseKind } from '../store/changes';
import type { SeenMessages } from '../store/seen-messages';
import type { Clock } from '../time/clock';
import { unlessAborted } from '../time/aborted';
import type { RouterSpans } from '../telemetry/router-spans';
import type { Distribution } from './distribution';
import { reportUnreadable, type Unread } from './report-unreadable';

/** Reads records of a partition of the events topic from an offset on. */
export type ReadSlice = (partition: number, offset: number, maxBytes: number) => Promise<LogSlice>;

export interface LiveRoutingContext {
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  readonly routes: Routes;
  readonly seen: SeenMessages;
  readonly distribution: Distribution;
  readonly read: ReadSlice;
  /** Restarts the live reader of the partition at its progress. */
  readonly restart: (partition: OwnedPartition) => void;
  readonly relief: { readonly relieve: () => void };
  /** Records events whose message id came before with another body; absent: they are only counted. */
  readonly onDifferentBody?: ((incoming: IncomingEvent) => void) | undefined;
  /** Samples what passes; absent: nobody can watch. */
  readonly live?: Pick<LiveSamples, 'routed'>;
  readonly onError: (error: unknown) => void;
  /** Absent where telemetry is off. */
  readonly spans?: RouterSpans | undefined;
}

/** Time after which a measured lag is no longer valid. */
const LAG_KEPT_MS = 200;

/** Hashes of the events' ids; those of routers of the version before too, while some may be in the store. */
const hashesOf = (events: readonly IncomingEvent[], withFormer: boolean): readonly string[] =>
  events.flatMap((event) => (withFormer ? [event.hash, event.formerHash] : [event.hash]));

const noteDuplicate = (
  partition: OwnedPartition,
  { record, hash }: IncomingEvent,
  differs: boolean,
): void => {
  const { offset, timestampMs: atMs } = record;
  partition.gather(({ duplicates }) => {
    duplicates.push({ offset, hash, differs, atMs });
  });
};

/** Routes batches of the live reader to the attached lanes: each event once, in order. */
export class LiveRouting {
  private lag = { ms: 0, seenMs: -Infinity };

  constructor(private readonly context: LiveRoutingContext) {}

  /** Milliseconds between the append and the routing of the newest record; 0 when none was routed lately. */
  get lagMs(): number {
    return this.context.clock.nowMs() - this.lag.seenMs < LAG_KEPT_MS ? this.lag.ms : 0;
  }

  /**
   * Resolves when every record was given to its lanes. Rejects while the database or the configuration is unavailable, and
   * when the partition is handed over before there is room: what was routed until then is left out when the same records
   * are given again.
   */
  async take(
    partition: OwnedPartition,
    records: readonly LogRecord[],
    leaving: AbortSignal,
  ): Promise<void> {
    const { budget, relief } = this.context;
    relief.relieve();
    await unlessAborted(leaving, budget.room());
    const fresh = records.filter(({ offset }) => offset >= partition.routed);
    const [first] = fresh;
    if (first === undefined) return;
    if (first.offset > partition.routed) await this.passGap(partition, first.offset, leaving);
    let left: readonly Incoming[] = fresh.map(readIncoming);
    while (left.length > 0) left = await this.takeFirst(partition, left, leaving);
    this.noteLag(fresh);
  }

  /** Routes the first ones, as many as routes could be prepared of. @returns the others; none when the partition is gone. */
  private async takeFirst(
    partition: OwnedPartition,
    incoming: readonly Incoming[],
    leaving: AbortSignal,
  ): Promise<readonly Incoming[]> {
    const { routes, seen } = this.context;
    const all = incoming.filter((each) => each.kind === 'event');
    const count = await unlessAborted(leaving, routes.prepare(all.map(({ head }) => head)));
    const events = all.slice(0, count);
    const next = all[count]?.record.offset ?? Infinity;
    partition.recent.beginLookUp();
    const known = await seen.find(hashesOf(events, seen.withFormer));
    leaving.throwIfAborted();
    if (partition.isGone) return [];
    // What was prepared may have left the replica meanwhile: then nothing more is applied, and the rest comes again.
    for (const { head } of events) routes.at(head.source, head.seen);
    const isPrepared = ({ record }: Incoming): boolean => record.offset < next;
    for (const each of incoming) if (isPrepared(each)) this.route(partition, each, known);
    return incoming.filter((each) => !isPrepared(each));
  }

  private route(
    partition: OwnedPartition,
    incoming: Incoming,
    known: ReadonlyMap<string, string>,
  ): void {
    const { record } = incoming;
    if (record.offset < partition.routed) return;
    if (partition.earlier.hasFinished(record.offset)) return partition.advance(record);
    if (incoming.kind === 'unreadable') this.report(partition, record, incoming.reason);
    else this.distribute(partition, incoming, known);
    partition.advance(record);
    this.context.relief.relieve();
  }

  private distribute(
    partition: OwnedPartition,
    incoming: IncomingEvent,
    known: ReadonlyMap<string, string>,
  ): void {
    const { record } = incoming;
    const span = this.context.spans?.route(incoming);
    const earlier = this.earlierDigest(partition, incoming, known);
    if (earlier === undefined) this.remember(partition, incoming);
    const kind = this.kindOf(incoming, earlier);
    if (kind !== 'New') partition.repeat(record.offset, kind);
    if (earlier !== undefined) noteDuplicate(partition, incoming, kind === 'DifferentBody');
    if (kind === 'DifferentBody') this.context.onDifferentBody?.(incoming);
    const { live, routes, distribution } = this.context;
    live?.routed(partition.number, incoming, kind, routes);
    distribution.toAttached(partition, incoming, kind);
    span?.end({ attributes: { 'penstock.event.kind': kind } });
  }

  /** The body digest of the first event with the same id; undefined: this is the first one. */
  private earlierDigest(
    { recent }: OwnedPartition,
    incoming: IncomingEvent,
    known: ReadonlyMap<string, string>,
  ): string | undefined {
    const { hash } = incoming;
    const digest = recent.digestOf(hash) ?? known.get(hash);
    if (digest !== undefined || !this.context.seen.withFormer) return digest;
    return known.get(incoming.formerHash);
  }

  /** Routers of the version before, which may be given the partition again, know the id by another hash. */
  private remember(partition: OwnedPartition, incoming: IncomingEvent): void {
    const { head, hash, record } = incoming;
    const { digest } = head;
    partition.remember(hash, { digest, offset: record.offset });
    if (this.context.seen.withFormer)
      partition.remember(incoming.formerHash, { digest, offset: null });
  }

  /** @param earlier the body digest of a message with the same id that came before. */
  private kindOf(incoming: IncomingEvent, earlier: string | undefined): BaseKind {
    if (earlier !== undefined)
      return earlier === incoming.head.digest ? 'Duplicate' : 'DifferentBody';
    return this.context.distribution.isSuppressed(incoming) ? 'Suppressed' : 'New';
  }

  private report(partition: OwnedPartition, record: Unread, reason: string): void {
    reportUnreadable(partition, record, reason, this.context.onError);
  }

  /** Advances over offsets without a record: retention has removed them, or they never held one. */
  private async passGap(
    partition: OwnedPartition,
    offset: number,
    leaving: AbortSignal,
  ): Promise<void> {
    const from = partition.routed;
    const reading = this.context.read(partition.number, from, 1);
    const { begin, records } = await unlessAborted(leaving, reading);
    if (partition.isGone) return;
    if ((records[0]?.offset ?? offset) < offset) {
      this.context.restart(partition);
      throw new Error(`partition ${partition.number} was read from ${offset} instead of ${from}`);
    }
    if (begin <= from) return partition.skipTo(offset);
    const lost = Math.min(begin, offset) - from;
    const reason = `retention has removed ${lost} records before they were read`;
    this.report(partition, { offset: from, key: '', value: '' }, reason);
    partition.skipGap(offset);
  }

  private noteLag(records: readonly LogRecord[]): void {
    const { clock } = this.context;
    const appendedMs = records.at(-1)?.timestampMs ?? clock.wallMs();
    this.lag = { ms: Math.max(0, clock.wallMs() - appendedMs), seenMs: clock.nowMs() };
  }
}
