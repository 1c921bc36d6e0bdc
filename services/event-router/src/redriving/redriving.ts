import type { JobId, PipelineId } from '@penstock/contracts';
import { RouterFault } from '../faults/router-fault';
import type { Lane } from '../lanes/lane';
import { type DestinationId, jobLane, type LaneId, type LaneIdentity } from '../store/lane-id';
import type { OwnedPartition } from '../progress/owned-partition';
import type { Clock } from '../time/clock';
import type { Job } from '../store/jobs/job';
import type { RouterStore } from '../store/router-store';
import { RedrivePart } from './redrive-part';

/** Batches that are chosen for one redrive at one look. */
const MAX_BATCHES = 20;

export interface RedrivingContext {
  readonly clock: Pick<Clock, 'soon'>;
  readonly store: Pick<RouterStore, 'jobs' | 'redrives'>;
  readonly partitions: () => Iterable<OwnedPartition>;
  readonly open: (lane: LaneIdentity) => Lane;
  readonly close: (lane: LaneId) => void;
  /** The destination of a pipeline, deleted or not; undefined: it never was. */
  readonly destinationOf: (pipeline: PipelineId) => DestinationId | undefined;
  /** Whether the pipeline or its destination was deleted. */
  readonly isDeleted: (pipeline: PipelineId) => boolean;
  readonly onError: (error: unknown) => void;
}

/** A redrive that this process works on. */
interface Known {
  /** Undefined: nothing is known of the destination any more. */
  readonly lane: Lane | undefined;
  readonly parts: Map<OwnedPartition, RedrivePart>;
}

/** This process's part of all redrives: those dead letters that are of its partitions. */
export class Redriving {
  private readonly known = new Map<JobId, Known>();
  private looking: Promise<void> | undefined;
  private isPoked = false;

  constructor(private readonly context: RedrivingContext) {}

  /** Takes up new redrives, goes on with the others, and ends those that are done. Call it periodically. */
  look(): Promise<void> {
    this.looking ??= this.lookAtAll()
      .catch((error: unknown) => {
        this.context.onError(
          new RouterFault('redrives cannot be read from PostgreSQL; trying again', {}, error),
        );
      })
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Gives lanes more, where they have room: once for all that call it in one turn of the event loop. */
  poke(): void {
    if (this.known.size === 0 || this.isPoked) return;
    this.isPoked = true;
    this.context.clock.soon(() => {
      this.isPoked = false;
      for (const { parts } of this.known.values())
        for (const part of parts.values()) void part.feed();
    });
  }

  private async lookAtAll(): Promise<void> {
    const { store } = this.context;
    const open = (await store.jobs.open()).filter(({ kind }) => kind === 'Redrive');
    this.forgetAllBut(new Set(open.map(({ id }) => id)));
    for (const job of open)
      await this.lookAt(job).catch((error: unknown) => {
        this.context.onError(
          new RouterFault('a redrive cannot go on now; trying again', { job: job.id }, error),
        );
      });
    if (open.length > 0) await store.redrives.endDone();
  }

  private forgetAllBut(open: ReadonlySet<JobId>): void {
    for (const [id, { lane }] of this.known) {
      if (open.has(id)) continue;
      this.known.delete(id);
      if (lane !== undefined) this.context.close(lane.identity.id);
    }
  }

  private async lookAt(job: Job): Promise<void> {
    const { store, isDeleted } = this.context;
    if (job.state === 'Cancelling') return this.stop(job);
    if (isDeleted(job.pipeline)) return store.jobs.cancel(job.id);
    if (job.state === 'Preparing') return this.choose(job.id);
    for (const part of this.partsOf(job)) void part.feed();
  }

  private async choose(id: JobId): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1)
      if ((await this.context.store.redrives.choose(id)) !== 'more') return;
  }

  private stop(job: Job): void {
    const { lane } = this.knownOf(job);
    if (lane !== undefined) lane.isClosed = true;
    for (const part of this.partsOf(job)) part.stop();
  }

  /** The parts of the partitions that this process owns now. */
  private partsOf(job: Job): readonly RedrivePart[] {
    const { lane, parts } = this.knownOf(job);
    const owned = new Set(this.context.partitions());
    for (const partition of parts.keys()) if (!owned.has(partition)) parts.delete(partition);
    for (const partition of owned) {
      if (parts.has(partition)) continue;
      const { redrives } = this.context.store;
      const { onError } = this.context;
      parts.set(partition, new RedrivePart(job.id, lane, partition, { redrives, onError }));
    }
    return [...parts.values()];
  }

  private knownOf({ id, createdMs, pipeline }: Job): Known {
    const before = this.known.get(id);
    if (before !== undefined) return before;
    const connection = this.context.destinationOf(pipeline);
    const lane = connection && this.context.open(jobLane({ id, createdMs }, connection));
    const known = { lane, parts: new Map<OwnedPartition, RedrivePart>() };
    this.known.set(id, known);
    return known;
  }
}
