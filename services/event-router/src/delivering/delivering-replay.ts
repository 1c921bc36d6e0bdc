import type { PipelineId, SendingPipelineState, WorkspaceId } from '@penstock/contracts';
import type { Lane } from '../lanes/lane';
import type { OwnedPartition } from '../progress/owned-partition';
import { ORGANIZATION_DISABLED, PIPELINE_DELETED } from '../replays/cancelled-with';
import { type ReplayRequest, replayRequest } from '../replays/replay-job';
import { replayedPipeline } from '../replays/replayed-pipeline';
import type { Routes } from '../routing/routes';
import type { RowsAfter } from '../sending/rows-of-key';
import type { Job } from '../store/jobs/job';
import { type DestinationId, jobLane, type LaneIdentity } from '../store/lane-id';
import type { ReplayDeliveryStore } from '../store/replay-delivery-store';
import { ReplayPart } from './replay-part';
import { type ReadingContext, type ReplayPlan, WindowReader } from './window-reader';

export interface DeliveringContext extends ReadingContext {
  readonly replays: Pick<ReplayDeliveryStore, 'rest' | 'stop'>;
  readonly routes: Pick<Routes, 'isOptedOut' | 'versions' | 'presentVersion'>;
  /** The destination of a pipeline, deleted or not; undefined: it never was. */
  readonly destinationOf: (pipeline: PipelineId) => DestinationId | undefined;
  readonly open: (lane: LaneIdentity, rows: RowsAfter) => Lane;
  /** The newest version of a pipeline; undefined: it was deleted, or never was. */
  readonly newest: (pipeline: PipelineId) => SendingPipelineState | undefined;
  /** Whether the organization of the workspace is disabled. */
  readonly isDisabled: (workspace: WorkspaceId) => boolean;
}

const NO_VERSION = 'the version of the pipeline is not known any more';
const LOG_ENDS = 'the log ends before the window of the replay: it was restored from a backup';
/** Time after which another partition is read when there is no room for more of the present one. */
const STALLED_MS = 5_000;

/** One replay that delivers, as far as this process works on it: the partitions that it owns, one after the other. */
export class DeliveringReplay {
  /** Undefined: nothing is known of the destination any more. */
  readonly lane: Lane | undefined;
  private readonly request: ReplayRequest;
  private readonly readers = new Map<OwnedPartition, WindowReader>();
  /** Partitions of which nothing was taken up before it was stopped. */
  private readonly stopped = new WeakSet<OwnedPartition>();
  private readonly gone = new AbortController();
  private plan: ReplayPlan | undefined;
  private current: WindowReader | undefined;

  constructor(
    readonly job: Job,
    private readonly context: DeliveringContext,
  ) {
    this.request = replayRequest(job.request);
    const connection = context.destinationOf(job.pipeline);
    const rows: RowsAfter = (key, after, limits) =>
      this.readers.get(key.partition)?.part.rows(key.id, after, limits) ?? Promise.resolve([]);
    this.lane = connection && context.open(jobLane(job, connection), rows);
  }

  /** Whether nothing is left to be read in the partitions of this process. */
  get isRead(): boolean {
    return [...this.readers.values()].every(({ part }) => part.isRead);
  }

  /** Takes up what is left in partitions that this process has acquired; waits while the pipeline is disabled. */
  async workOn(partitions: readonly OwnedPartition[]): Promise<void> {
    const { job, lane, context } = this;
    const newest = context.newest(job.pipeline);
    if (newest === undefined || context.routes.presentVersion(job.pipeline) === undefined)
      return context.replays.stop(job.id, 'Cancelled', PIPELINE_DELETED);
    if (context.isDisabled(job.workspace))
      return context.replays.stop(job.id, 'Cancelled', ORGANIZATION_DISABLED);
    this.plan ??= await this.planned(newest);
    if (this.plan === undefined) return context.replays.stop(job.id, 'Failed', NO_VERSION);
    this.hold(!newest.enabled);
    if (lane === undefined) return;
    for (const partition of partitions)
      if (!this.readers.has(partition)) await this.takeUp(partition, lane, this.plan);
  }

  /** Begins no further requests, and records for each partition that it has stopped. Call it repeatedly. */
  stop(partitions: readonly OwnedPartition[]): void {
    const { lane, job } = this;
    if (lane !== undefined) lane.isClosed = true;
    for (const partition of partitions) {
      const reader = this.readers.get(partition);
      if (reader !== undefined) reader.part.stop();
      else if (!this.stopped.has(partition))
        partition.gather(({ redrivesStopped }) => {
          redrivesStopped.push(job.id);
        });
      if (reader === undefined) this.stopped.add(partition);
    }
  }

  /** The next window to read a slice of; undefined: there is none, or no room for it. */
  readable(): WindowReader | undefined {
    const unread = [...this.readers.values()].filter(({ part }) => !part.isRead);
    const present = unread.find((each) => each === this.current) ?? unread[0];
    if (present === undefined || present.part.needsMore || present.idleMs < STALLED_MS)
      this.current = present;
    else this.current = unread.find(({ part }) => part.needsMore) ?? present;
    return this.current?.part.needsMore === true ? this.current : undefined;
  }

  /** Reads a slice of a window. @throws Error when the log is unavailable. */
  async read(
    reader: WindowReader,
    recent: Parameters<WindowReader['readSlice']>[0],
  ): Promise<void> {
    const { replays } = this.context;
    const { signal } = this.gone;
    if (!(await reader.readSlice(recent, signal)))
      await replays.stop(this.job.id, 'Failed', LOG_ENDS);
  }

  /** Removes everything of the partition from memory. */
  drop(partition: OwnedPartition): void {
    this.readers.get(partition)?.part.forget();
    this.readers.delete(partition);
  }

  /** Removes everything from memory. */
  forget(): void {
    this.gone.abort();
    for (const partition of this.readers.keys()) this.drop(partition);
  }

  private async takeUp(partition: OwnedPartition, lane: Lane, plan: ReplayPlan): Promise<void> {
    const { job, context } = this;
    const rest = await context.replays.rest(job.id, partition.number);
    if (rest === undefined || !partition.maySend) return;
    const { id, pipeline } = job;
    const of = { id, pipeline, version: plan.replayed.compiled.state.version };
    const part = new ReplayPart(of, lane, partition, rest, context);
    this.readers.set(partition, new WindowReader(part, plan, context));
    part.restore();
  }

  /** Undefined: the version is not known any more. */
  private async planned(newest: SendingPipelineState): Promise<ReplayPlan | undefined> {
    const { job, request } = this;
    const wanted = { pipeline: job.pipeline, version: request.version ?? newest.version };
    const version = (await this.context.routes.versions([wanted])).get(wanted);
    if (version === undefined) return undefined;
    const { id, pipeline } = job;
    const replayed = replayedPipeline({ id, pipeline, request }, newest, version);
    return { replayed, ordering: request.ordering };
  }

  private hold(isHeld: boolean): void {
    const { lane } = this;
    if (lane === undefined || lane.isClosed === isHeld) return;
    lane.isClosed = isHeld;
    if (!isHeld) lane.onReady();
  }
}
