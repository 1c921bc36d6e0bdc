import { type LiveFrame, LiveFrames } from './live-frames';
import { type LiveListener, MAX_SHOWN } from './live-listener';
import type { LiveSample } from './live-sample';
import { isWatchedEvent, isWatchedOther, type Watch } from './watch';

/** The clients that watch the same: what they get is found out and written as text once for all of them. */
export class LiveAudience {
  readonly listeners = new Set<LiveListener>();
  /** Events that were shown, with the offsets of their samples. */
  private readonly shown = new Map<string, number>();
  /** Offset of the last sample. */
  private last = -1;

  constructor(readonly watch: Watch) {}

  /** Takes samples of its workspace in their order; never waits. */
  take(samples: readonly LiveSample[]): void {
    const fresh = samples.filter(({ offset }) => offset > this.last);
    this.last = fresh.at(-1)?.offset ?? this.last;
    const frames = new LiveFrames(
      fresh.flatMap((sample) => this.frameOf(sample)),
      this.last,
    );
    for (const listener of this.listeners) listener.take(frames);
  }

  private frameOf(sample: LiveSample): LiveFrame | [] {
    const { watch, shown } = this;
    const { record, offset } = sample;
    const isEvent = record.kind === 'event';
    if (!(isEvent ? isWatchedEvent : isWatchedOther)(watch, sample)) return [];
    if (isEvent) this.remember(record.event, offset);
    const since = record.kind === 'outcome' ? (shown.get(record.event) ?? -1) : offset;
    return { sample, text: sample.frame(watch.withValues), since };
  }

  private remember(event: string, offset: number): void {
    this.shown.set(event, offset);
    const [oldest] = this.shown.keys();
    if (this.shown.size > MAX_SHOWN && oldest !== undefined) this.shown.delete(oldest);
  }
}
