import type { PipelineId } from '@penstock/contracts';
import type { LaneId } from '../store/lane-id';
import type { Cursor } from '../store/changes';

/** The position of a detached lane or key, which this process moves. */
export interface HeldCursor extends Cursor {
  position: number;
  readonly owed: Map<PipelineId, number>;
}

/** In `written`: the row exists and must be written again. */
const OUTDATED = -1;

type Whose = Pick<Cursor, 'lane' | 'orderKey'>;

const nameOf = ({ lane, orderKey }: Whose): string =>
  orderKey === '' ? lane : `${lane}/${orderKey}`;

/** The cursors of the detached lanes and keys of one partition, and which of them the store has. */
export class Cursors {
  private readonly held = new Map<string, HeldCursor>();
  private readonly written = new Map<string, number>();
  private readonly detached = new Set<LaneId>();
  /** A copy of `detached`; undefined: it was not read since the last change. */
  private copied: ReadonlySet<LaneId> | undefined;
  private dropped = new Map<string, Whose>();

  constructor(restored: readonly Cursor[]) {
    for (const cursor of restored) {
      this.written.set(nameOf(cursor), cursor.position);
      this.add({ ...cursor, owed: new Map(cursor.owed) });
    }
  }

  get size(): number {
    return this.held.size;
  }

  /** The detached lanes, in an object that does not change: the same one until a lane is detached or attached. */
  get detachedLanes(): ReadonlySet<LaneId> {
    this.copied ??= new Set(this.detached);
    return this.copied;
  }

  /** The position of the lane; undefined: it is attached. */
  positionOf(lane: LaneId): number | undefined {
    return this.held.get(lane)?.position;
  }

  /** The lowest position; Infinity without a cursor. */
  get lowest(): number {
    let lowest = Infinity;
    for (const { position } of this.held.values()) lowest = Math.min(lowest, position);
    return lowest;
  }

  /** The cursor of a lane or key: the existing one, or a new one at the position. */
  hold(whose: Whose, position: number): HeldCursor {
    const known = this.held.get(nameOf(whose));
    if (known !== undefined) return known;
    const { lane, orderKey } = whose;
    const cursor = { lane, orderKey, position, owed: new Map<PipelineId, number>() };
    this.add(cursor);
    return cursor;
  }

  /** Counts a delivery of the pipeline that was counted as matched and left to the detached key. */
  owe(cursor: HeldCursor, pipeline: PipelineId): void {
    this.setOwed(cursor, pipeline, (cursor.owed.get(pipeline) ?? 0) + 1);
  }

  /** Counts down: the key is given a delivery that was left to it. */
  pay(cursor: HeldCursor, pipeline: PipelineId): void {
    this.setOwed(cursor, pipeline, (cursor.owed.get(pipeline) ?? 0) - 1);
  }

  drop(whose: Whose): void {
    const name = nameOf(whose);
    if (!this.held.delete(name)) return;
    if (whose.orderKey === '') {
      this.detached.delete(whose.lane);
      this.copied = undefined;
    }
    const { lane, orderKey } = whose;
    if (this.written.delete(name)) this.dropped.set(name, { lane, orderKey });
  }

  /** Clears what is still left to the key. @returns the number of deliveries by pipeline. */
  remit(cursor: HeldCursor): Cursor['owed'] {
    const owed = new Map(cursor.owed);
    for (const pipeline of owed.keys()) this.setOwed(cursor, pipeline, 0);
    return owed;
  }

  /**
   * The changes since the last call, for the store. A cursor at the partition's own position to which no deliveries are
   * left needs no row.
   *
   * @param routed the next offset that attached lanes have not been given.
   */
  take(routed: number): { readonly moved: readonly Cursor[]; readonly dropped: readonly Whose[] } {
    const moved: Cursor[] = [];
    for (const [name, { lane, orderKey, position, owed }] of this.held) {
      const written = this.written.get(name);
      const needsNone = written === undefined && position >= routed && owed.size === 0;
      if (written === position || needsNone) continue;
      this.written.set(name, position);
      moved.push({ lane, orderKey, position, owed: new Map(owed) });
    }
    const dropped = [...this.dropped.values()];
    this.dropped = new Map();
    return { moved, dropped };
  }

  private add(cursor: HeldCursor): void {
    const name = nameOf(cursor);
    this.held.set(name, cursor);
    if (this.dropped.delete(name)) this.written.set(name, OUTDATED);
    if (cursor.orderKey !== '') return;
    this.detached.add(cursor.lane);
    this.copied = undefined;
  }

  /** Ignores counts below zero: cursors of older versions have no counts of what was left to them. */
  private setOwed(cursor: HeldCursor, pipeline: PipelineId, count: number): void {
    if (count > 0) cursor.owed.set(pipeline, count);
    else cursor.owed.delete(pipeline);
    const name = nameOf(cursor);
    if (this.written.has(name)) this.written.set(name, OUTDATED);
  }
}
