import type { JobId } from '@penstock/contracts';
import type { EndedJobState, Job } from '../jobs/job';
import {
  LOG_REPLACED,
  type NewReplay,
  ReplayDeliveryStore,
  type ReplayRest,
} from '../replay-delivery-store';
import type { OffsetRange } from '../router-store';
import type { MemoryDatabase, MemoryReplay } from './memory-database';

/** The replays that deliver of a {@link MemoryDatabase}. */
export class MemoryReplayDeliveries extends ReplayDeliveryStore {
  constructor(private readonly database: MemoryDatabase) {
    super();
  }

  override create(replay: NewReplay, windows: readonly OffsetRange[]): Promise<JobId | undefined> {
    const { jobs, replays, nowMs } = this.database;
    const all = [...jobs.values()];
    const known = all.find(({ command }) => command === replay.command);
    if (known !== undefined) return Promise.resolve(known.id);
    const isReplaying = ({ kind, pipeline, endedMs }: Job): boolean =>
      kind !== 'Redrive' && pipeline === replay.pipeline && endedMs === null;
    if (all.some(isReplaying)) return Promise.resolve(undefined);
    const job = { ...replay, state: 'Running', createdMs: nowMs(), endedMs: null } as const;
    jobs.set(replay.id, { ...job, counts: new Map() });
    const made = { windows, positions: new Map(), open: new Map(), failures: [] };
    replays.set(replay.id, { ...made, endsAs: 'Cancelled', reason: '' });
    return Promise.resolve(replay.id);
  }

  override rest(id: JobId, partition: number): Promise<ReplayRest | undefined> {
    const replay = this.database.replays.get(id);
    const window = replay?.windows[partition];
    if (replay === undefined || window === undefined) return Promise.resolve(undefined);
    if (this.database.jobs.get(id)?.state !== 'Running') return Promise.resolve(undefined);
    const open = [...(replay.open.get(partition)?.values() ?? [])];
    return Promise.resolve({
      window,
      position: replay.positions.get(partition) ?? window.start,
      open: open.sort((one, other) => one.offset - other.offset),
      failures: replay.failures.filter((each) => each.partition === partition).length,
    });
  }

  override stop(id: JobId, as: Exclude<EndedJobState, 'Succeeded'>, reason: string): Promise<void> {
    const { jobs, replays } = this.database;
    const [job, replay] = [jobs.get(id), replays.get(id)];
    if (job?.state === 'Running' && replay !== undefined) {
      jobs.set(id, { ...job, state: 'Cancelling' });
      replays.set(id, { ...replay, endsAs: as, reason });
    }
    return Promise.resolve();
  }

  override endDone(): Promise<void> {
    for (const [id, replay] of this.database.replays) {
      const job = this.database.jobs.get(id);
      if (job === undefined || job.endedMs !== null) continue;
      const unfinished = unfinishedOf(replay);
      if (job.state === 'Running' && unfinished.length === 0) this.end(job, replay, 'Succeeded');
      const isAtWork = (partition: number): boolean =>
        this.database.redriveStops.get(`${id}/${partition}`) !==
        this.database.partition(partition).epoch;
      if (job.state === 'Cancelling' && !unfinished.some(isAtWork))
        this.end(job, replay, replay.endsAs);
    }
    return Promise.resolve();
  }

  /** Ends all replays: their windows are of the log before. */
  fail(): void {
    for (const [id, replay] of this.database.replays) {
      const job = this.database.jobs.get(id);
      if (job === undefined || job.endedMs !== null) continue;
      this.end(job, replay, 'Failed');
      this.database.replays.set(id, { ...replay, reason: LOG_REPLACED });
    }
  }

  private end(job: Job, { open }: MemoryReplay, state: EndedJobState): void {
    const { jobs, nowMs } = this.database;
    jobs.set(job.id, { ...job, state, endedMs: nowMs() });
    for (const deliveries of open.values()) {
      if (deliveries.size > 0) this.database.countForJob(job.id, 'left', deliveries.size);
      deliveries.clear();
    }
  }
}

/** The partitions in which something is left of a replay. */
const unfinishedOf = ({ windows, positions, open }: MemoryReplay): number[] =>
  windows.flatMap(({ start, end }, partition) =>
    (positions.get(partition) ?? start) < end || (open.get(partition)?.size ?? 0) > 0
      ? [partition]
      : [],
  );
