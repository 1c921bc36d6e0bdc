import type { JobId } from '@penstock/contracts';
import type { EndedJobState, Job, JobPlace, NewJob } from '../jobs/job';
import { type JobPage, JobStore, MOST_OPEN } from '../jobs/job-store';
import type { Database } from './sql/database';

type JobRow = NewJob &
  Pick<Job, 'state'> & {
    readonly created_ms: number;
    readonly ended_ms: number | null;
    readonly counts: Readonly<Record<string, number>>;
  };

const COLUMNS = `
j.id, j.kind, j.workspace, j.pipeline, j.request, j.actor, j.command, j.state,
floor(extract(epoch FROM j.created) * 1000)::float8 AS created_ms,
floor(extract(epoch FROM j.ended) * 1000)::float8 AS ended_ms,
(SELECT coalesce(jsonb_object_agg(name, count), '{}')
   FROM (SELECT name, sum(count) AS count FROM penstock_router.job_counts c WHERE c.job = j.id GROUP BY name) sums
) AS counts`;

const jobOf = ({ created_ms, ended_ms, counts, ...job }: JobRow): Job => ({
  ...job,
  createdMs: created_ms,
  endedMs: ended_ms,
  counts: new Map(Object.entries(counts)),
});

const CREATE = `
INSERT INTO penstock_router.jobs (id, kind, workspace, pipeline, request, actor, command, state)
SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, 'Preparing'
 WHERE (SELECT count(*) FROM penstock_router.jobs
         WHERE kind = $2 AND workspace = $3 AND pipeline = $4 AND ended IS NULL) < ${MOST_OPEN}
ON CONFLICT (command) DO NOTHING`;

/** The table of jobs. */
export class PostgresJobs extends JobStore {
  constructor(private readonly database: Database) {
    super();
  }

  override async create(job: NewJob): Promise<Job | undefined> {
    const { id, kind, workspace, pipeline, request, actor, command } = job;
    await this.database.rows(CREATE, [id, kind, workspace, pipeline, request, actor, command]);
    const [found] = await this.found('j.command = $1', [command]);
    return found;
  }

  override list(
    { kind, workspace, pipeline }: JobPlace,
    { limit, before }: JobPage,
  ): Promise<readonly Job[]> {
    return this.found(
      `j.workspace = $1 AND j.pipeline = $2 AND j.kind = $3 AND ($4::text IS NULL OR j.id < $4)
       ORDER BY j.id DESC LIMIT $5`,
      [workspace, pipeline, kind, before ?? null, limit],
    );
  }

  override async get({ kind, workspace, pipeline }: JobPlace, id: JobId): Promise<Job | undefined> {
    const [found] = await this.found(
      'j.id = $1 AND j.workspace = $2 AND j.pipeline = $3 AND j.kind = $4',
      [id, workspace, pipeline, kind],
    );
    return found;
  }

  override open(): Promise<readonly Job[]> {
    return this.found('j.ended IS NULL ORDER BY j.id', []);
  }

  override async begin(id: JobId): Promise<void> {
    await this.database.rows(
      `UPDATE penstock_router.jobs SET state = 'Running' WHERE id = $1 AND state = 'Preparing'`,
      [id],
    );
  }

  override async cancel(id: JobId): Promise<void> {
    await this.database.rows(
      `UPDATE penstock_router.jobs SET state = 'Cancelling' WHERE id = $1 AND ended IS NULL`,
      [id],
    );
  }

  override async end(id: JobId, state: EndedJobState): Promise<void> {
    await this.database.rows(
      `UPDATE penstock_router.jobs SET state = $2, ended = now() WHERE id = $1 AND ended IS NULL`,
      [id, state],
    );
  }

  private async found(condition: string, values: readonly unknown[]): Promise<Job[]> {
    const rows = await this.database.rows<JobRow>(
      `SELECT ${COLUMNS} FROM penstock_router.jobs j WHERE ${condition}`,
      values,
    );
    return rows.map(jobOf);
  }
}
