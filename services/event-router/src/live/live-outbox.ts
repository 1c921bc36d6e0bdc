import {
  type ConnectionId,
  type LiveRecord,
  type WorkspaceId,
  writeLiveRecord,
} from '@penstock/contracts';
import { MAX_VALUE_BYTES, type NewMessage } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Clock } from '../time/clock';

/** Samples are collected for so long, so that they are appended together. */
const COLLECT_MS = 100;
/** The same while events are left out: then there are enough to look at, and every append costs. */
const COLLECT_OF_MANY_MS = 500;
/** Interval at which the numbers of events that were left out are written. */
const DROPPED_MS = 1_000;
/** What waits while the log is slow or away. */
const MAX_WAITING_BYTES = 8 * 1_048_576;
const MAX_WAITING = 5_000;
/** Sources whose numbers of left out events are kept until they are written. */
const MAX_SOURCES = 1_000;

const FAULT = 'samples of live events cannot be appended to the log; they are left out';

export interface LiveOutboxContext {
  readonly clock: Clock;
  /** Appends to the topic of live events. */
  readonly append: (messages: readonly NewMessage[]) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly message: NewMessage;
  readonly record: LiveRecord;
}

/** Appends records to the topic of live events, one call at a time, in order; what does not fit is counted. */
export class LiveOutbox {
  private waiting: Waiting[] = [];
  private bytes = 0;
  private readonly dropped = new Map<ConnectionId, { workspace: WorkspaceId; count: number }>();
  private droppedMs = -Infinity;
  /** Whether events were left out since the last time that samples were appended, and before it. */
  private areMany = false;
  private wereMany = false;
  private isBusy = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(private readonly context: LiveOutboxContext) {}

  add(record: LiveRecord): void {
    if (this.isStopped) return;
    const value = writeLiveRecord(record);
    const isTooMuch = this.bytes + value.length > MAX_WAITING_BYTES;
    if (isTooMuch || this.waiting.length >= MAX_WAITING || value.length > MAX_VALUE_BYTES)
      return this.lose(record);
    this.waiting.push({ record, message: { key: record.workspace, value } });
    this.bytes += value.length;
    this.wake();
  }

  /** Counts events that are left out. */
  leaveOut(workspace: WorkspaceId, source: ConnectionId, count = 1): void {
    if (this.isStopped) return;
    this.areMany = true;
    const known = this.dropped.get(source);
    if (known !== undefined) known.count += count;
    else if (this.dropped.size < MAX_SOURCES) this.dropped.set(source, { workspace, count });
    this.wake();
  }

  /** Nothing is appended afterwards. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  /** An outcome that is lost is in no number: numbers are of events. */
  private lose(record: LiveRecord): void {
    const { kind, workspace, source } = record;
    if (kind === 'event') this.leaveOut(workspace, source);
    if (kind === 'dropped') this.leaveOut(workspace, source, record.count);
  }

  private wake(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    const collectMs = this.areMany || this.wereMany ? COLLECT_OF_MANY_MS : COLLECT_MS;
    this.cancel = this.context.clock.after(collectMs, () => void this.send());
  }

  private async send(): Promise<void> {
    this.wereMany = this.areMany;
    this.areMany = false;
    this.writeDropped();
    const sent = this.waiting;
    this.waiting = [];
    this.bytes = 0;
    if (sent.length > 0)
      await this.context.append(sent.map(({ message }) => message)).catch((error: unknown) => {
        for (const { record } of sent) this.lose(record);
        this.context.onError(new RouterFault(FAULT, {}, error));
      });
    this.isBusy = false;
    if (!this.isStopped && (this.waiting.length > 0 || this.dropped.size > 0)) this.wake();
  }

  private writeDropped(): void {
    const nowMs = this.context.clock.nowMs();
    if (this.dropped.size === 0 || nowMs - this.droppedMs < DROPPED_MS) return;
    this.droppedMs = nowMs;
    for (const [source, { workspace, count }] of this.dropped) {
      const record: LiveRecord = { kind: 'dropped', workspace, source, count };
      const value = writeLiveRecord(record);
      this.waiting.push({ record, message: { key: workspace, value } });
    }
    this.dropped.clear();
  }
}
