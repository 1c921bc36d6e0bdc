import type { Detachment } from '../lanes/detachment';
import type { LanePart } from '../lanes/lane-part';

/** A detached lane or order key in one partition, and the range of offsets that it can catch up on. */
export class Place {
  constructor(
    readonly part: LanePart,
    /** Undefined: the place is that of the lane. */
    readonly orderKey: string | undefined,
    readonly detachment: Detachment,
  ) {}

  /** All places of a part. */
  static of(part: LanePart): Place[] {
    const places: Place[] = [];
    if (part.detachment !== undefined) places.push(new Place(part, undefined, part.detachment));
    for (const [orderKey, detachment] of part.keyDetachments)
      places.push(new Place(part, orderKey, detachment));
    return places;
  }

  /** The next offset to read. */
  get at(): number {
    return this.detachment.at;
  }

  /** The offset up to which it can catch up now. A key stops at its lane, which counts each event first. */
  get end(): number {
    return this.orderKey === undefined ? this.part.partition.routed : this.part.position;
  }

  /** Whether it has been given everything below `end`. */
  get isUp(): boolean {
    return this.at >= this.end && this.detachment.asleep.length === 0;
  }

  /** Whether it can be attached: `end` is the live reader's offset, and it is reached. */
  get isDone(): boolean {
    return this.isUp && (this.orderKey === undefined || this.part.detachment === undefined);
  }

  /**
   * Whether it may be given more: a key waits for older deliveries of its lane and for its own rows.
   *
   * @param maxKeyLength number of deliveries in memory below which a key is given more.
   */
  mayBeServed(maxKeyLength: number): boolean {
    if (this.orderKey === undefined) return true;
    if ((this.part.detachment?.asleep.length ?? 0) > 0) return false;
    const key = this.part.keys.get(this.orderKey);
    return key === undefined || (key.storedRows === 0 && key.live.length < maxKeyLength);
  }

  /** Records that everything below the offset has been given or does not exist. */
  skipTo(offset: number): void {
    this.detachment.skipTo(Math.min(offset, this.end));
  }

  /** Attaches the lane to the live reader, or the key to its lane. */
  attach(): void {
    if (this.orderKey === undefined) this.part.attach();
    else this.part.attachKey(this.orderKey);
  }
}
