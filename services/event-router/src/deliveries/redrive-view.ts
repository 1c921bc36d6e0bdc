import { instant, type JobId, type Queries, Refusal, type RedriveView } from '@penstock/contracts';
import type { Request } from '@penstock/contracts';
import type { Job, JobPlace } from '../store/jobs/job';
import type { JobStore } from '../store/jobs/job-store';

/** A redrive in answers. To clients it runs until it has ended. */
export const redriveView = ({
  id,
  pipeline,
  state,
  createdMs,
  endedMs,
  actor,
  counts,
}: Job): RedriveView => {
  const number = (name: string): number => counts.get(name) ?? 0;
  const ended = {
    delivered: number('Delivered'),
    filtered: number('Filtered'),
    rejected: number('Rejected'),
    parked: number('Parked'),
  };
  const chosen = number('Chosen');
  return {
    id,
    pipeline,
    state: state === 'Succeeded' || state === 'Cancelled' ? state : 'Running',
    chosen,
    ...ended,
    left: chosen - Object.values(ended).reduce((sum, each) => sum + each, 0),
    startedAt: instant(new Date(createdMs)),
    endedAt: endedMs === null ? null : instant(new Date(endedMs)),
    createdBy: actor,
  };
};

/** The redrives of the pipeline that a request is about. */
export const redrivePlace = ({
  context,
  in: { pipeline },
}: Request<{ readonly pipeline: JobPlace['pipeline'] }>): JobPlace => ({
  kind: 'Redrive',
  workspace: context.workspace,
  pipeline,
});

/** The redrive that a request names. @throws Refusal RedriveNotExist */
export const existingRedrive = async (
  jobs: JobStore,
  request: Request<Queries['GetRedrive']['in']>,
): Promise<Job> => {
  const job = await jobs.get(redrivePlace(request), request.in.id as JobId);
  if (job === undefined) throw new Refusal('RedriveNotExist');
  return job;
};
