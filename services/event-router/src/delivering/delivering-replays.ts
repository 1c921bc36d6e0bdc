import type { JobId } from '@penstock/contracts';
import { RouterFault } from '../faults/router-fault';
import type { OwnedPartition } from '../progress/owned-partition';
import type { RecentIds } from '../replays/recent-ids';
import type { Job } from '../store/jobs/job';
import type { LaneId } from '../store/lane-id';
import type { RouterStore } from '../store/router-store';
import { type DeliveringContext, DeliveringReplay } from './delivering-replay';
import { ReadingSeats } from './reading-seats';
import type { WindowReader } from './window-reader';

export interface DeliveringReplaysContext extends Omit<DeliveringContext, 'replays'> {
  readonly store: Pick<RouterStore, 'jobs' | 'replays'>;
  readonly partitions: () => Iterable<OwnedPartition>;
  readonly close: (lane: LaneId) => void;
  readonly onError: (error: unknown) => void;
}

/** A slice that can be read. */
interface Readable {
  readonly replay: DeliveringReplay;
  readonly reader: WindowReader;
  readonly recent: RecentIds;
}

/** This process's part of all replays that deliver: the windows of its partitions. */
export class DeliveringReplays {
  private readonly known = new Map<JobId, DeliveringReplay>();
  private readonly seats: ReadingSeats;
  private looking: Promise<void> | undefined;
  private isReading = false;

  constructor(private readonly context: DeliveringReplaysContext) {
    const { clock, read, liveLagMs } = context;
    const log = { read: (_: string, ...stretch: Parameters<typeof read>) => read(...stretch) };
    this.seats = new ReadingSeats({ clock, log, liveLagMs });
  }

  /** Takes up new replays, goes on with the others, and ends those that are done. Call it periodically. */
  look(): Promise<void> {
    this.looking ??= this.lookAtAll()
      .catch((error: unknown) => {
        this.report('replays cannot be read from PostgreSQL; trying again', error);
      })
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Reads on, where lanes have room. */
  poke(): void {
    if (this.known.size > 0 && !this.isReading) void this.readOn();
  }

  /** Removes everything of the partition from memory. */
  drop(partition: OwnedPartition): void {
    for (const replay of this.known.values()) replay.drop(partition);
  }

  private async lookAtAll(): Promise<void> {
    const { jobs, replays } = this.context.store;
    const open = (await jobs.open()).filter(({ kind }) => kind === 'DeliveringReplay');
    this.forgetAllBut(new Set(open.map(({ id }) => id)));
    for (const job of open)
      await this.lookAt(job).catch((error: unknown) => {
        this.report('a replay cannot go on now; trying again', error, job.id);
      });
    if (open.length > 0) await replays.endDone();
    this.poke();
  }

  private forgetAllBut(open: ReadonlySet<JobId>): void {
    for (const [id, replay] of this.known) {
      if (open.has(id)) continue;
      this.known.delete(id);
      this.seats.leave(id);
      replay.forget();
      if (replay.lane !== undefined) this.context.close(replay.lane.identity.id);
    }
  }

  private async lookAt(job: Job): Promise<void> {
    const replay = this.knownOf(job);
    const partitions = [...this.context.partitions()];
    if (job.state === 'Cancelling') replay.stop(partitions);
    else await replay.workOn(partitions);
  }

  private knownOf(job: Job): DeliveringReplay {
    const before = this.known.get(job.id);
    if (before !== undefined) return before;
    const { replays } = this.context.store;
    const replay = new DeliveringReplay(job, { ...this.context, replays });
    this.known.set(job.id, replay);
    return replay;
  }

  /** Reads slices, one at a time, until no lane has room for more. */
  private async readOn(): Promise<void> {
    this.isReading = true;
    try {
      for (let next = this.next(); next !== undefined; next = this.next())
        await next.replay.read(next.reader, next.recent);
    } catch (error) {
      const isGone = error instanceof Error && error.name === 'AbortError';
      if (!isGone)
        this.report('events of a replay cannot be read from the log; trying again', error);
    } finally {
      this.isReading = false;
    }
  }

  /** A slice of the replay that was read longest ago among those that have a seat. */
  private next(): Readable | undefined {
    for (const [id, replay] of this.known) {
      if (replay.isRead) this.seats.leave(id);
      const reader = replay.readable();
      if (reader === undefined) this.seats.rest(id);
      const recent = reader && this.seats.take(id);
      if (reader === undefined || recent === undefined) continue;
      this.known.delete(id);
      this.known.set(id, replay);
      return { replay, reader, recent };
    }
    return undefined;
  }

  private report(what: string, error: unknown, job?: JobId): void {
    this.context.onError(new RouterFault(what, job === undefined ? {} : { job }, error));
  }
}
