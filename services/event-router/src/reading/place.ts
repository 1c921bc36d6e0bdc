import type { Detachment } from '../lanes/detachment';
import type { LanePart } from '../lanes/lane-part';

/** Where a lane, or one order key of it, stands in a partition below the live reader. */
export class Place {
  constructor(
    readonly part: LanePart,
    /** Undefined: the lane. */
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

  /** The next offset to be read. */
  get at(): number {
    return this.detachment.at;
  }

  /** Up to where it can be brought up now. A key goes as far as its lane: what that was not given is not counted. */
  get end(): number {
    return this.orderKey === undefined ? this.part.partition.routed : this.part.position;
  }

  /** It has been given everything up to where it can be brought up now. */
  get isUp(): boolean {
    return this.at >= this.end && this.detachment.asleep.length === 0;
  }

  /** It has been given everything. */
  get isDone(): boolean {
    return this.isUp && (this.orderKey === undefined || this.part.detachment === undefined);
  }

  /**
   * Whether its turn has come, as far as what comes before it is concerned.
   *
   * @param maxKeyLength deliveries that a key may have in memory to be given more.
   */
  mayBeServed(maxKeyLength: number): boolean {
    if (this.orderKey === undefined) return true;
    if ((this.part.detachment?.asleep.length ?? 0) > 0) return false;
    const key = this.part.keys.get(this.orderKey);
    return key === undefined || (key.storedRows === 0 && key.live.length < maxKeyLength);
  }

  /** Everything below the offset has been given, or is not there. */
  skipTo(offset: number): void {
    this.detachment.skipTo(Math.min(offset, this.end));
  }

  /** It is served with the rest from here on. */
  attach(): void {
    if (this.orderKey === undefined) this.part.attach();
    else this.part.attachKey(this.orderKey);
  }
}
