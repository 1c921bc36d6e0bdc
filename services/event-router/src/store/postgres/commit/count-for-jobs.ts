import type { JobId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { columns } from '../sql/columns';

/** Something that is counted for a job in a partition. */
export interface JobCounted {
  readonly job: JobId;
  readonly partition: number;
  readonly name: string;
  readonly count: number;
}

/** Adds to the numbers of jobs; those of a job that is not there any more are left out. */
export const countForJobs = async (
  db: PoolClient,
  counted: readonly JobCounted[],
): Promise<void> => {
  if (counted.length === 0) return;
  await db.query(
    `INSERT INTO penstock_router.job_counts AS c (job, partition, name, count)
     SELECT job, partition, name, sum(count)
       FROM unnest($1::text[], $2::int[], $3::text[], $4::bigint[]) AS r (job, partition, name, count)
      WHERE EXISTS (SELECT FROM penstock_router.jobs j WHERE j.id = r.job)
      GROUP BY job, partition, name ORDER BY job, partition, name
     ON CONFLICT (job, partition, name) DO UPDATE SET count = c.count + excluded.count`,
    columns(
      counted,
      ({ job }) => job,
      ({ partition }) => partition,
      ({ name }) => name,
      ({ count }) => count,
    ),
  );
};
