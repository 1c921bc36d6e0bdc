import type { DestinationId, LaneId } from '../store/lane-id';
import type { LanePart } from '../lanes/lane-part';
import type { OwnedPartition } from '../progress/owned-partition';
import { hasMemory } from './has-memory';
import { Place } from './place';
import { Slices, type SlicesContext } from './slices';
import { Turns } from './turns';
import { yieldToLive } from './yield-to-live';
import { RouterFault } from '../faults/router-fault';

export interface CatchUpContext extends SlicesContext {
  /** The workspace of a destination. */
  readonly workspaceOf: (connection: DestinationId) => string;
  /** Milliseconds by which the live reader lags. */
  readonly lagMs: () => number;
  /** Frees memory of other lanes than these. */
  readonly shed: (spared: ReadonlySet<LaneId>) => void;
  readonly onError: (error: unknown) => void;
}

/** Interval at which lanes are checked for room, in addition to calls of `poke`. */
const LOOK_MS = 50;
const RETRY_MS = 500;
/** How long lanes of other partitions wait for one slice to be read: that of a partition that has no leader takes seconds. */
const PATIENCE_MS = 250;
/** When memory has kept a lane from catching up for this time, other lanes are detached. */
const SHORT_MS = 1_000;

/** Lets detached lanes and keys catch up: reads the log again for them, in slices. */
export class CatchUp {
  private readonly behind = new Set<LanePart>();
  private readonly turns = new Turns();
  /** Partitions of which a slice is being served. */
  private readonly busy = new Set<OwnedPartition>();
  private cancelTimer: (() => void) | undefined;
  private isRunning = false;
  /** Since when memory has kept a lane from catching up, or when memory was last freed for that. */
  private shortFromMs: number | undefined;
  private isStopped = false;
  private readonly slices: Slices;

  constructor(private readonly context: CatchUpContext) {
    this.slices = new Slices(context);
  }

  /** Parts that are detached, or of which a key is. */
  get parts(): ReadonlySet<LanePart> {
    return this.behind;
  }

  add(part: LanePart): void {
    this.behind.add(part);
    this.poke();
  }

  /** Starts a round, if none runs: a lane may have room. */
  poke(): void {
    if (this.behind.size === 0 || this.isRunning || this.isStopped) return;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.isRunning = true;
    this.context.clock.soon(() => {
      void this.run();
    });
  }

  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
  }

  private async run(): Promise<void> {
    const { clock } = this.context;
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const startMs = clock.nowMs();
      await this.serveUnlessSlow(next);
      await yieldToLive(clock, this.context.lagMs(), clock.nowMs() - startMs);
    }
    this.isRunning = false;
    if (this.behind.size === 0 || this.isStopped) return;
    this.cancelTimer = clock.after(LOOK_MS, () => {
      this.cancelTimer = undefined;
      this.poke();
    });
  }

  /** Serves one slice; nothing else of its partition is served meanwhile, nor for a pause after a failure. Never rejects. */
  private async serve(place: Place, onRead: () => void): Promise<void> {
    const { partition, lane } = place.part;
    this.busy.add(partition);
    try {
      await this.slices.serve(place, this.roomyIn(partition), onRead);
    } catch (error) {
      this.context.onError(
        new RouterFault(
          'events that a lane has to catch up on cannot be read from the log; trying again',
          { partition: partition.number, connection: lane },
          error,
        ),
      );
      await this.pause(RETRY_MS);
    }
    this.busy.delete(partition);
    this.poke();
  }

  /**
   * Resolves when a slice was served, or its reading takes longer than others wait for it. The work that follows is waited
   * for: one slice at a time takes enough of the process.
   */
  private async serveUnlessSlow(place: Place): Promise<void> {
    const slice = { isRead: false };
    const served = this.serve(place, () => {
      slice.isRead = true;
    });
    let cancel: (() => void) | undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.context.clock.after(PATIENCE_MS, resolve);
    });
    await Promise.race([served, late]);
    cancel?.();
    if (slice.isRead) await served;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.context.clock.after(ms, resolve);
    });
  }

  /** The next place to serve: workspaces in turn, and within one the place that was served longest ago. */
  private next(): Place | undefined {
    if (this.isStopped) return undefined;
    const { budget, clock, lane, workspaceOf } = this.context;
    const roomy: Place[] = [];
    for (const part of this.behind) {
      if (this.busy.has(part.partition)) continue;
      if (part.partition.isGone || !this.attach(part)) this.behind.delete(part);
      else roomy.push(...this.roomy(part));
    }
    const candidates = roomy.filter(({ part }) => hasMemory(lane(part.lane), budget));
    this.noteMemory(candidates.length < roomy.length && !budget.hasSpare);
    const workspaceOfPlace = ({ part }: Place): string => workspaceOf(lane(part.lane).destination);
    return this.turns.choose(candidates, workspaceOfPlace, clock.nowMs());
  }

  /**
   * Frees memory of attached lanes when it has kept detached ones from catching up for too long.
   *
   * @param isShort whether only memory keeps a place from being served.
   */
  private noteMemory(isShort: boolean): void {
    const nowMs = this.context.clock.nowMs();
    if (!isShort) this.shortFromMs = undefined;
    else if (nowMs - (this.shortFromMs ??= nowMs) > SHORT_MS) {
      this.shortFromMs = nowMs;
      this.context.shed(new Set([...this.behind].map(({ lane }) => lane)));
    }
  }

  /** Attaches the lane and keys that have been given everything. @returns whether anything is still detached. */
  private attach(part: LanePart): boolean {
    const { lane, placement } = this.context;
    const { isBlocked } = lane(part.lane).health;
    for (const place of Place.of(part)) {
      placement.expireOwed(place);
      if (place.isDone && !isBlocked) place.attach();
    }
    return part.isBehind;
  }

  private roomyIn(partition: OwnedPartition): Place[] {
    const parts = [...this.behind].filter((part) => part.partition === partition);
    return parts.flatMap((part) => this.roomy(part));
  }

  private roomy(part: LanePart): Place[] {
    const lane = this.context.lane(part.lane);
    if (lane.room(part) <= 0) return [];
    return Place.of(part).filter(
      (place) => place.at < place.end && place.mayBeServed(lane.maxKeyLength),
    );
  }
}
