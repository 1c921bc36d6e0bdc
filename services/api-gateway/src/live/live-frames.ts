import type { LiveSample } from './live-sample';

/** A sample as the clients of one audience get it. */
export interface LiveFrame {
  readonly sample: LiveSample;
  /** The bytes of the stream, as text. */
  readonly text: string;
  /** Offset of the sample itself; of an outcome, that of the event which it is about, below 0 if it is not known. */
  readonly since: number;
}

/** What is written to a client at once. */
export interface Shown {
  readonly bytes: Buffer;
  /** Number of events in it. */
  readonly events: number;
}

const isEvent = ({ sample }: LiveFrame): boolean => sample.record.kind === 'event';

const shownOf = (frames: readonly LiveFrame[]): Shown => ({
  bytes: Buffer.from(frames.map(({ text }) => text).join('')),
  events: frames.filter(isEvent).length,
});

/** Samples that an audience gets at once; their bytes are made once for all who get the same. */
export class LiveFrames {
  readonly count: number;
  private readonly known: readonly LiveFrame[];
  /** The first offset that a client must have been there for to get all that is known. */
  private readonly since: number;
  private common: Shown | undefined;

  /** @param last offset of the last sample that was looked at, whether it is among the frames or not. */
  constructor(
    private readonly frames: readonly LiveFrame[],
    readonly last: number,
  ) {
    this.count = frames.length;
    this.known = frames.filter(({ since }) => since >= 0);
    this.since = Math.min(...this.known.map(({ since }) => since));
  }

  /** Number of events. */
  get events(): number {
    return this.known.filter(isEvent).length;
  }

  /**
   * What a client gets.
   *
   * @param from offset of the first sample since it watches.
   * @param recalled earlier events that it was shown: it gets their outcomes too.
   */
  of(from: number, recalled: ReadonlySet<string>): Shown {
    if (recalled.size === 0 && from <= this.since) return (this.common ??= shownOf(this.known));
    const isFor = ({ sample: { offset, record }, since }: LiveFrame): boolean =>
      offset >= from &&
      (since >= from || (record.kind === 'outcome' && recalled.has(record.event)));
    return shownOf(this.frames.filter(isFor));
  }
}
