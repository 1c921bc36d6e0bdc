/** Bytes held at present. */
export interface Held {
  readonly bytes: number;
}

/** A partition's share before its fetching is held back: some milliseconds of work for a quick handler. */
const LANE_BYTES = 1_048_576;
/** All partitions of a reader; beyond it only a lane that holds nothing is given more. */
const TOTAL_BYTES = 16_777_216;

/** Says which lanes may be given more, so that a slow handler bounds what is held and stops no other lane. */
export class Flow {
  constructor(private readonly lanes: ReadonlyMap<number, Held>) {}

  hasRoom(lane: Held): boolean {
    return this.isBelow(lane, LANE_BYTES);
  }

  /** As {@link hasRoom}, for a lane that had none: half a share must be free. */
  hasRoomAgain(lane: Held): boolean {
    return this.isBelow(lane, LANE_BYTES / 2);
  }

  private isBelow(lane: Held, bytes: number): boolean {
    return lane.bytes === 0 || (lane.bytes < bytes && this.heldBytes() < TOTAL_BYTES);
  }

  private heldBytes(): number {
    let bytes = 0;
    for (const lane of this.lanes.values()) bytes += lane.bytes;
    return bytes;
  }
}
