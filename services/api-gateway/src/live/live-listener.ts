import { eventFrame, heartbeatFrame } from './event-frame';
import type { LiveSample } from './live-sample';
import { isWatchedEvent, isWatchedOther, type Watch } from './watch';

/** Bytes that wait to be sent to one client, above which its samples are left out. */
const MAX_UNSENT_BYTES = 131_072;
/** Shown events whose outcomes are awaited; of more, the newest ones. */
const MAX_SHOWN = 1_000;
/** Samples that wait while older ones are read for a client that has come back. */
const MAX_WAITING = 1_000;

/** Where a stream is written to. */
export interface LiveSink {
  /** Bytes that were written and not sent yet. */
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** One client that watches live events. */
export class LiveListener {
  /** Ids of the events that it was shown. */
  private readonly shown = new Set<string>();
  /** Samples that wait for {@link begin}; undefined: it has begun. */
  private waiting: LiveSample[] | undefined = [];
  /** Offset of the last sample that it was offered. */
  private last = -1;
  /** Events that it was not shown since it does not read fast enough. */
  private missed = 0;

  constructor(
    readonly watch: Watch,
    private readonly sink: LiveSink,
  ) {}

  /** Takes a sample of its workspace; never waits. */
  take(sample: LiveSample): void {
    if (this.waiting === undefined) this.offer(sample, true);
    else if (this.waiting.length < MAX_WAITING) this.waiting.push(sample);
    else if (sample.record.kind === 'event') this.missed += 1;
  }

  /**
   * Takes a sample of the past.
   *
   * @param isNew whether it is to be shown; else only its outcomes are, as it was shown before.
   */
  recall(sample: LiveSample, isNew: boolean): void {
    this.offer(sample, isNew);
  }

  /** Tells that samples of the past are not on the log any more, or are too many. */
  tellExpired(): void {
    this.sink.write(eventFrame('dropped', JSON.stringify({ reason: 'Expired', count: null })));
  }

  /** What has come meanwhile is shown, and what comes is. @param offset before which everything was recalled. */
  begin(offset: number): void {
    this.last = Math.max(this.last, offset - 1);
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    this.beat();
    for (const sample of waiting) this.offer(sample, true);
  }

  /** Sends a heartbeat, unless the client has not read what it was sent. */
  beat(): void {
    if (this.waiting !== undefined || !this.hasRoom()) return;
    this.tellMissed();
    this.sink.write(heartbeatFrame(this.last));
  }

  /** Ends the stream; cuts a client off that does not read. */
  end(): void {
    if (this.sink.writableLength > 0) this.sink.destroy();
    else this.sink.end();
  }

  /** Whether the client has read most of what it was sent. */
  hasRoom(): boolean {
    return this.sink.writableLength <= MAX_UNSENT_BYTES;
  }

  private offer(sample: LiveSample, isNew: boolean): void {
    if (sample.offset <= this.last) return;
    this.last = sample.offset;
    if (!this.isWanted(sample)) return;
    const { record } = sample;
    if (record.kind === 'event') this.remember(record.event);
    if (isNew) this.show(sample);
  }

  private isWanted(sample: LiveSample): boolean {
    const { record } = sample;
    if (record.kind === 'event') return isWatchedEvent(this.watch, sample);
    if (record.kind === 'outcome' && !this.shown.has(record.event)) return false;
    return isWatchedOther(this.watch, sample);
  }

  private show(sample: LiveSample): void {
    if (!this.hasRoom()) {
      if (sample.record.kind === 'event') this.missed += 1;
      return;
    }
    this.tellMissed();
    this.sink.write(sample.frame(this.watch.withValues));
  }

  private tellMissed(): void {
    if (this.missed === 0) return;
    const data = JSON.stringify({ reason: 'SlowReader', count: this.missed });
    this.missed = 0;
    this.sink.write(eventFrame('dropped', data));
  }

  private remember(event: string): void {
    this.shown.add(event);
    const [oldest] = this.shown;
    if (this.shown.size > MAX_SHOWN && oldest !== undefined) this.shown.delete(oldest);
  }
}
