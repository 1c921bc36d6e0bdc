import type { JobId } from '@penstock/contracts';
import type { EndedJobState, Job, JobPlace, JobState, NewJob } from '../jobs/job';
import { type JobPage, JobStore, MOST_OPEN } from '../jobs/job-store';
import type { MemoryDatabase } from './memory-database';

const byId = (a: Job, b: Job): number => (a.id < b.id ? -1 : 1);

const isOf =
  ({ kind, workspace, pipeline }: JobPlace) =>
  (job: Job): boolean =>
    job.kind === kind && job.workspace === workspace && job.pipeline === pipeline;

/** The jobs of a {@link MemoryDatabase}. */
export class MemoryJobs extends JobStore {
  constructor(private readonly database: MemoryDatabase) {
    super();
  }

  override create(given: NewJob): Promise<Job | undefined> {
    const { jobs, nowMs } = this.database;
    const known = [...jobs.values()].find(({ command }) => command === given.command);
    const open = this.all.filter(isOf(given)).filter(({ endedMs }) => endedMs === null);
    if (known === undefined && open.length >= MOST_OPEN) return Promise.resolve(undefined);
    const job = known ?? {
      ...given,
      state: 'Preparing' as const,
      createdMs: nowMs(),
      endedMs: null,
      counts: new Map<string, number>(),
    };
    jobs.set(job.id, job);
    return Promise.resolve(this.withCounts(job));
  }

  override list(place: JobPlace, { limit, before }: JobPage): Promise<readonly Job[]> {
    const isBefore = ({ id }: Job): boolean => before === undefined || id < before;
    const found = this.all.filter(isOf(place)).filter(isBefore).reverse();
    return Promise.resolve(found.slice(0, limit));
  }

  override get(place: JobPlace, id: JobId): Promise<Job | undefined> {
    return Promise.resolve(this.all.find((job) => job.id === id && isOf(place)(job)));
  }

  override open(): Promise<readonly Job[]> {
    return Promise.resolve(this.all.filter(({ endedMs }) => endedMs === null));
  }

  override begin(id: JobId): Promise<void> {
    return this.change(id, ({ state }) => state === 'Preparing', 'Running');
  }

  override cancel(id: JobId): Promise<void> {
    return this.change(id, ({ endedMs }) => endedMs === null, 'Cancelling');
  }

  override end(id: JobId, state: EndedJobState): Promise<void> {
    return this.change(id, ({ endedMs }) => endedMs === null, state, this.database.nowMs());
  }

  private get all(): Job[] {
    return [...this.database.jobs.values()].sort(byId).map((job) => this.withCounts(job));
  }

  private withCounts(job: Job): Job {
    const counts = new Map<string, number>();
    for (const { job: of, name, count } of this.database.jobCounts.values())
      if (of === job.id) counts.set(name, (counts.get(name) ?? 0) + count);
    return { ...job, counts };
  }

  private change(
    id: JobId,
    applies: (job: Job) => boolean,
    state: JobState,
    endedMs: number | null = null,
  ): Promise<void> {
    const job = this.database.jobs.get(id);
    if (job !== undefined && applies(job)) this.database.jobs.set(id, { ...job, state, endedMs });
    return Promise.resolve();
  }
}
