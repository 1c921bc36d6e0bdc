import type { LogRecord } from '@penstock/messaging';
import {
  type Audience,
  type BaseKind,
  type Cursor,
  type DeliveryKey,
  type PartitionChanges,
} from '../store/changes';
import type { LeaseGrant, PartitionProgress } from '../store/router-store';
import type { Clock } from '../time/clock';
import { Cursors, type HeldCursor } from './cursors';
import { EarlierEndings } from './earlier-endings';
import { GatheredChanges, type RowInHand } from './gathered-changes';
import { markOf } from './mark-of';
import { OpenDeliveries } from './open-deliveries';
import { RecentMessages } from './recent-messages';
import { Repeats } from './repeats';
import type { RequestsInFlight } from './requests-in-flight';

/** A commit under way: repeated unchanged until its outcome is known. */
export interface PendingCommit {
  changes: PartitionChanges;
  readonly rows: readonly RowInHand[];
  /** The spans of sampled events whose deliveries have ended; of very many some. */
  readonly traced: ReadonlySet<string>;
}

/** One partition of the events topic that this process has leased: its progress, and its changes to commit. */
export class OwnedPartition {
  readonly number: number;
  readonly epoch: number;
  readonly open: OpenDeliveries;
  readonly earlier: EarlierEndings;
  readonly recent = new RecentMessages();
  readonly repeats: Repeats;
  /** Cursors of the detached lanes and keys. */
  readonly cursors: Cursors;
  /** How often retention had removed records before they were routed. */
  gaps = 0;
  private gathered = new GatheredChanges();
  private sequence: number;
  private next: number;
  private last: LogRecord | null = null;
  private pendingCommit: PendingCommit | undefined;
  private gone = false;
  private stopping = false;

  constructor(
    grant: LeaseGrant,
    progress: PartitionProgress,
    readonly requests: RequestsInFlight,
    private readonly clock: Clock,
    private readonly onChange: () => void,
  ) {
    this.number = grant.partition;
    this.epoch = grant.epoch;
    this.sequence = progress.sequence;
    this.next = progress.routed;
    this.open = new OpenDeliveries(clock.nowMs(), grant.partition);
    this.earlier = new EarlierEndings(progress);
    this.repeats = new Repeats(progress.repeats);
    this.cursors = new Cursors(progress.cursors);
  }

  /** The next offset that attached lanes have not been given. */
  get routed(): number {
    return this.next;
  }

  /** Whether the lease is lost: another owner may work on the partition, and further changes are ignored. */
  get isGone(): boolean {
    return this.gone;
  }

  /** Whether a request with its events may begin, as far as the partition is concerned. */
  get maySend(): boolean {
    return !this.gone && !this.stopping;
  }

  /** Begins no further requests. */
  stopSending(): void {
    this.stopping = true;
  }

  /** Marks the partition as lost and aborts its requests. */
  lose(): void {
    this.gone = true;
    this.requests.abort();
  }

  /** Advances past the record, which was given to all attached lanes. */
  advance(record: LogRecord): void {
    this.next = record.offset + 1;
    this.last = record;
    this.touch();
  }

  /** Advances to the offset over offsets without records. */
  skipTo(offset: number): void {
    if (offset <= this.next) return;
    this.next = offset;
    this.touch();
  }

  /** As {@link skipTo}, over records that retention has removed. Slices that were read before are discarded. */
  skipGap(offset: number): void {
    this.gaps += 1;
    this.skipTo(offset);
  }

  count(...counted: Parameters<GatheredChanges['count']>): void {
    this.gathered.count(...counted);
    this.touch();
  }

  base(audience: Audience, kind: BaseKind, nowMs: number): void {
    this.gathered.base(audience, kind, nowMs);
    this.touch();
  }

  /** Counts an event that was routed for its source. */
  source(...counted: Parameters<GatheredChanges['source']>): void {
    this.gathered.source(...counted);
    this.touch();
  }

  remember(...message: Parameters<RecentMessages['add']>): void {
    this.recent.add(...message);
  }

  /** Records for detached lanes that the event is a duplicate or suppressed, so that they skip it too. */
  repeat(offset: number, kind: Exclude<BaseKind, 'New'>): void {
    if (this.cursors.size > 0) this.repeats.add(offset, kind);
  }

  holdCursor(...whose: Parameters<Cursors['hold']>): HeldCursor {
    this.touch();
    return this.cursors.hold(...whose);
  }

  dropCursor(cursor: Pick<Cursor, 'lane' | 'orderKey'>): void {
    this.cursors.drop(cursor);
    this.touch();
  }

  storeRow(inHand: RowInHand): void {
    this.gathered.stored.push(inHand);
    this.touch();
  }

  /** Adds to the lists that are written unchanged. */
  gather(add: (gathered: GatheredChanges) => void): void {
    add(this.gathered);
    this.touch();
  }

  /** The commit under way, or a new one of the gathered changes; undefined: there are none. */
  pending(): PendingCommit | undefined {
    if (this.gone) return undefined;
    this.pendingCommit ??= this.makeUp();
    return this.pendingCommit;
  }

  /** Rows that have ended in changes that are not known to be committed. */
  get settling(): readonly DeliveryKey[] {
    const { settled = [], redriven = [] } = this.pendingCommit?.changes ?? {};
    return [...settled, ...redriven, ...this.gathered.settled, ...this.gathered.redriven];
  }

  /** Sequence of the last commit that is known to be durable. */
  get sequenceCommitted(): number {
    return this.sequence;
  }

  /** Sequence of the commit that will contain the changes of now. */
  get sequenceToCome(): number {
    return this.sequence + (this.pendingCommit === undefined ? 1 : 2);
  }

  get hasChanges(): boolean {
    return this.pendingCommit !== undefined || this.gathered.hasChanged;
  }

  /** Call it when the commit under way is durable. */
  confirm(): void {
    const pending = this.pendingCommit;
    if (pending === undefined) return;
    this.pendingCommit = undefined;
    this.sequence = pending.changes.sequence;
    this.recent.confirm(pending.changes.messages);
    for (const { release } of pending.rows) release();
  }

  /** Drops all changes and releases the memory of rows that were to be stored. */
  discard(): void {
    for (const { release } of [...(this.pendingCommit?.rows ?? []), ...this.gathered.stored])
      release();
    this.pendingCommit = undefined;
    this.gathered = new GatheredChanges();
  }

  private makeUp(): PendingCommit | undefined {
    const gathered = this.gathered;
    if (!gathered.hasChanged) return undefined;
    this.gathered = new GatheredChanges();
    const repeatsFrom = Math.min(this.next, this.cursors.lowest);
    const cursors = this.cursors.take(this.next);
    const changes: PartitionChanges = {
      partition: this.number,
      epoch: this.epoch,
      sequence: this.sequence + 1,
      routed: this.next,
      mark: this.last && markOf(this.last),
      ...this.open.take(this.clock.nowMs()),
      cursors: cursors.moved,
      droppedCursors: cursors.dropped,
      repeats: this.repeats.take(repeatsFrom),
      repeatsFrom,
      audiences: [...gathered.audiences],
      messages: this.recent.take(),
      ...gathered.written,
    };
    return { changes, rows: gathered.stored, traced: gathered.traced };
  }

  private touch(): void {
    this.gathered.hasChanged = true;
    this.onChange();
  }
}
