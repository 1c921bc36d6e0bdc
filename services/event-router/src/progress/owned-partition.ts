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
import { CommittedAudiences } from './committed-audiences';
import { Cursors, type HeldCursor } from './cursors';
import { EarlierEndings } from './earlier-endings';
import { GatheredChanges, type RowInHand } from './gathered-changes';
import { markOf } from './mark-of';
import { OpenDeliveries } from './open-deliveries';
import { RecentMessages } from './recent-messages';
import { Repeats } from './repeats';
import type { RequestsInFlight } from './requests-in-flight';

/** A commit on its way: repeated as it is until its outcome is known. */
export interface PendingCommit {
  changes: PartitionChanges;
  readonly rows: readonly RowInHand[];
}

/** One partition of the events topic under this process's lease: where it stands, and what is to be committed. */
export class OwnedPartition {
  readonly number: number;
  readonly epoch: number;
  readonly open: OpenDeliveries;
  readonly earlier: EarlierEndings;
  readonly recent = new RecentMessages();
  readonly repeats: Repeats;
  /** Lanes and keys that stand below the live reader. */
  readonly cursors: Cursors;
  /** How often retention was found to have removed records before they were routed. */
  gaps = 0;
  private gathered = new GatheredChanges();
  private readonly audiences = new CommittedAudiences();
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

  /** Nothing of it counts any more: another owner may work on it. */
  get isGone(): boolean {
    return this.gone;
  }

  /** Whether a request with its events may begin, as far as the partition is concerned. */
  get maySend(): boolean {
    return !this.gone && !this.stopping;
  }

  /** No further request begins. */
  stopSending(): void {
    this.stopping = true;
  }

  /** It has another owner, or will have one: what is in memory of it is of no use. */
  lose(): void {
    this.gone = true;
    this.requests.abort();
  }

  /** The record was given to all attached lanes. */
  advance(record: LogRecord): void {
    this.next = record.offset + 1;
    this.last = record;
    this.touch();
  }

  /** The log holds nothing between: routing goes on at the offset. */
  skipTo(offset: number): void {
    if (offset <= this.next) return;
    this.next = offset;
    this.touch();
  }

  /** As {@link skipTo}: the log held records between, and nobody has looked at them. Who has them still drops them. */
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

  remember(hash: string, digest: string): void {
    this.recent.add(hash, digest);
  }

  /** Whoever is given the event later must know that it goes to nobody. */
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

  /** Adds to the lists that are written as they are. */
  gather(add: (gathered: GatheredChanges) => void): void {
    add(this.gathered);
    this.touch();
  }

  /** What was to be committed and is not known to be; else what there is, made up now; undefined: nothing. */
  pending(): PendingCommit | undefined {
    if (this.gone) return undefined;
    this.pendingCommit ??= this.makeUp();
    return this.pendingCommit;
  }

  /** Rows that have ended, while the store may have them still. */
  get settling(): readonly DeliveryKey[] {
    return [...(this.pendingCommit?.changes.settled ?? []), ...this.gathered.settled];
  }

  /** Sequence of the last commit that is known to be durable. */
  get sequenceCommitted(): number {
    return this.sequence;
  }

  /** Sequence of the commit that what comes about now will be in. */
  get sequenceToCome(): number {
    return this.sequence + (this.pendingCommit === undefined ? 1 : 2);
  }

  get hasChanges(): boolean {
    return this.pendingCommit !== undefined || this.gathered.hasChanged;
  }

  /** The pending changes are durable. */
  confirm(): void {
    const pending = this.pendingCommit;
    if (pending === undefined) return;
    this.pendingCommit = undefined;
    this.sequence = pending.changes.sequence;
    this.recent.confirm(pending.changes.messages);
    for (const { release } of pending.rows) release();
  }

  /** Lets go of rows that were to be stored. */
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
    const audiences = this.audiences.unwritten(gathered.audiences);
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
      audiences,
      messages: this.recent.take(),
      ...gathered.written,
    };
    return { changes, rows: gathered.stored };
  }

  private touch(): void {
    this.gathered.hasChanged = true;
    this.onChange();
  }
}
