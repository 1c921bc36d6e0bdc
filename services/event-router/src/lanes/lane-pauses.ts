import type { LaneRecord, RouterStore } from '../store/router-store';
import type { SteadyWall } from '../progress/steady-wall';
import type { Lane } from './lane';
import type { LaneId } from '../store/lane-id';
import { RouterFault } from '../faults/router-fault';

export interface LanePausesContext {
  readonly store: Pick<RouterStore, 'lanes' | 'pause' | 'resume'>;
  readonly wall: SteadyWall;
  readonly lane: (lane: LaneId) => Lane | undefined;
  /**
   * The current version of the lane's connection; its deletion is one. Undefined: the lane is that of a warehouse, or of a
   * job that is not open in this process, or the connection is not known.
   */
  readonly versionOf: (lane: LaneId) => number | undefined;
  readonly onError: (error: unknown) => void;
}

/** Shares the pauses of lanes whose destinations answer 401 or 403 between all processes, through the store. */
export class LanePauses {
  /** Lanes that may be paused in the store. */
  private paused = new Set<LaneId>();
  /** Number of changes of this process that are being written, by lane; without lanes that have none. */
  private readonly changing = new Map<LaneId, number>();
  /** Lanes of which a change has been written since the last read began: what that has found of them may be older. */
  private readonly changed = new Set<LaneId>();
  /** The versions of the connections with which lanes were paused. */
  private readonly versions = new Map<LaneId, number>();
  private isFollowing = false;

  constructor(private readonly context: LanePausesContext) {}

  /** Records a pause that this process has seen begin. */
  pause(lane: LaneId, version: number, reason: string): void {
    const { store, wall } = this.context;
    this.paused.add(lane);
    this.versions.set(lane, version);
    this.change(lane, () => store.pause(lane, version, wall.nowMs(), reason));
  }

  /**
   * Records that the pause is over: this process has succeeded with the lane.
   *
   * @param version to which the connection was updated, where that ends the pause.
   */
  resume(lane: LaneId, version?: number): void {
    const { store, wall } = this.context;
    if (!this.paused.has(lane)) return;
    this.change(lane, () => store.resume(lane, wall.nowMs(), version));
  }

  /**
   * Applies the pauses that other processes have recorded; those of lanes that this process changes meanwhile, the next
   * time. Does nothing while it is under way. Call it periodically. Rejects while the database is unavailable.
   */
  async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    this.changed.clear();
    try {
      const records = await this.context.store.lanes();
      const paused = records.filter(isPaused).map(({ lane }) => lane);
      const changed = [...this.changing.keys(), ...this.changed];
      this.paused = new Set([...paused, ...changed]);
      const listed = new Set([...records.map(({ lane }) => lane), ...changed]);
      for (const lane of this.versions.keys()) if (!listed.has(lane)) this.versions.delete(lane);
      for (const record of records)
        if (!this.changing.has(record.lane) && !this.changed.has(record.lane)) this.apply(record);
    } finally {
      this.isFollowing = false;
    }
  }

  private apply(record: LaneRecord): void {
    const lane = this.context.lane(record.lane);
    lane?.health.setPauses(record.pauses);
    const known = this.versions.get(record.lane);
    if (!isPaused(record)) {
      this.versions.delete(record.lane);
      return lane?.unpause(record.version === known);
    }
    this.versions.set(record.lane, record.version);
    const version = this.context.versionOf(record.lane);
    if (version !== undefined && version > record.version) {
      lane?.unpause(false);
      this.resume(record.lane, version);
    } else if (lane !== undefined && lane.health.state !== 'paused') {
      lane.health.pause();
      lane.detachAll();
    }
  }

  private change(lane: LaneId, write: () => Promise<void>): void {
    this.changing.set(lane, (this.changing.get(lane) ?? 0) + 1);
    write()
      .catch((error: unknown) => {
        // Whatever the store says of it is about an earlier pause.
        this.versions.delete(lane);
        this.context.onError(
          new RouterFault(
            'the pause of a destination cannot be recorded in PostgreSQL; other routers do not learn of it yet',
            { lane },
            error,
          ),
        );
      })
      .finally(() => {
        this.ended(lane);
      });
  }

  private ended(lane: LaneId): void {
    this.changed.add(lane);
    const others = (this.changing.get(lane) ?? 1) - 1;
    if (others > 0) this.changing.set(lane, others);
    else this.changing.delete(lane);
  }
}

const isPaused = ({ pauses }: LaneRecord): boolean => pauses.at(-1)?.toMs === null;
