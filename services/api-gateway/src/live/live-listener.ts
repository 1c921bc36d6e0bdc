import { eventFrame, heartbeatFrame } from './event-frame';
import type { LiveFrames, Shown } from './live-frames';
import type { LiveSample } from './live-sample';
import { isWatchedEvent, isWatchedOther, type Watch } from './watch';

/** Bytes that wait to be sent to one client, above which its samples are left out. */
const MAX_UNSENT_BYTES = 131_072;
/** Shown events whose outcomes are awaited; of more, the newest ones. */
export const MAX_SHOWN = 1_000;
/** Samples that wait while older ones are read for a client that has come back. */
const MAX_WAITING = 1_000;

/** Where a stream is written to. */
export interface LiveSink {
  /** Bytes that were written and not sent yet. */
  readonly writableLength: number;
  write(text: string | Buffer): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** One client that watches live events. */
export class LiveListener {
  /** Ids of the events of the past that it was shown, or had been before. */
  private readonly recalled = new Set<string>();
  /** Samples that wait for {@link begin}; undefined: it has begun. */
  private waiting: LiveFrames[] | undefined = [];
  private waitingCount = 0;
  /** Events that it was shown since it has begun, while it awaits outcomes of those of the past. */
  private newer = 0;
  /** Offset of the first sample that it gets from its audience. */
  private from = 0;
  /** Offset of the last sample that it was offered. */
  private last = -1;
  /** Events that it was not shown since it does not read fast enough. */
  private missed = 0;
  private isEnded = false;

  constructor(
    readonly watch: Watch,
    private readonly sink: LiveSink,
  ) {}

  /** Takes samples of its audience; never waits. */
  take(frames: LiveFrames): void {
    if (this.waiting === undefined) this.offer(frames);
    else if (this.waitingCount + frames.count > MAX_WAITING) this.missed += frames.events;
    else {
      this.waiting.push(frames);
      this.waitingCount += frames.count;
    }
  }

  /**
   * Takes a sample of the past.
   *
   * @param isNew whether it is to be shown; else only its outcomes are, as it was shown before.
   */
  recall(sample: LiveSample, isNew: boolean): void {
    const { record, offset } = sample;
    this.last = offset;
    if (record.kind === 'event') {
      if (!isWatchedEvent(this.watch, sample)) return;
      this.recalled.add(record.event);
      this.forget(0);
    } else {
      if (record.kind === 'outcome' && !this.recalled.has(record.event)) return;
      if (!isWatchedOther(this.watch, sample)) return;
    }
    if (!isNew) return;
    const events = record.kind === 'event' ? 1 : 0;
    this.show({ bytes: Buffer.from(sample.frame(this.watch.withValues)), events });
  }

  /** Tells that samples of the past are not on the log any more, or are too many. */
  tellExpired(): void {
    this.write(eventFrame('dropped', JSON.stringify({ reason: 'Expired', count: null })));
  }

  /** What has come meanwhile is shown, and what comes is. @param offset before which everything was recalled. */
  begin(offset: number): void {
    this.from = offset;
    this.last = Math.max(this.last, offset - 1);
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    this.beat();
    for (const frames of waiting) this.offer(frames);
  }

  /** Sends a heartbeat, unless the client has not read what it was sent. While it waits for its past, it has no place yet. */
  beat(): void {
    if (!this.hasRoom()) return;
    if (this.waiting !== undefined) {
      this.write(heartbeatFrame(-1));
      return;
    }
    this.tellMissed();
    this.write(heartbeatFrame(this.last));
  }

  /** Ends the stream; cuts a client off that does not read. Nothing is written afterwards. */
  end(): void {
    this.isEnded = true;
    if (this.sink.writableLength > 0) this.sink.destroy();
    else this.sink.end();
  }

  /** Whether the client has read most of what it was sent. */
  hasRoom(): boolean {
    return this.sink.writableLength <= MAX_UNSENT_BYTES;
  }

  private offer(frames: LiveFrames): void {
    if (frames.last <= this.last) return;
    this.last = frames.last;
    const shown = frames.of(this.from, this.recalled);
    this.show(shown);
    this.forget(shown.events);
  }

  private show({ bytes, events }: Shown): void {
    if (bytes.length === 0) return;
    if (!this.hasRoom()) {
      this.missed += events;
      return;
    }
    this.tellMissed();
    this.write(bytes);
  }

  private tellMissed(): void {
    if (this.missed === 0) return;
    const data = JSON.stringify({ reason: 'SlowReader', count: this.missed });
    this.missed = 0;
    this.write(eventFrame('dropped', data));
  }

  /** An answer that is written to after its end has an error, which would end the process. */
  private write(text: string | Buffer): void {
    if (!this.isEnded) this.sink.write(text);
  }

  /** Awaits no more outcomes of the oldest events of the past. @param newer number of events that were shown now. */
  private forget(newer: number): void {
    if (this.recalled.size === 0) return;
    this.newer += newer;
    for (const event of this.recalled) {
      if (this.recalled.size + this.newer <= MAX_SHOWN) return;
      this.recalled.delete(event);
    }
  }
}
