import type { JobId, PipelineId } from '@penstock/contracts';
import type { Lane } from '../lanes/lane';
import type { OwnedPartition } from '../progress/owned-partition';
import type { Job } from '../store/jobs/job';
import { FakeClock } from '../testing/fake-clock';
import { DESTINATION } from '../testing/pipelines.fixture';
import { Redriving, type RedrivingContext } from './redriving';

/** Redrives of two pipelines, in three partitions; counts how often a partition is looked at. */
const redriving = () => {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const chosen: JobId[] = [];
  let looks = 0;
  const partitions = [1, 2, 3].map((number): OwnedPartition => {
    const partition = {
      number,
      get maySend() {
        looks += 1;
        return false;
      },
    };
    return partition as Partial<OwnedPartition> as OwnedPartition;
  });
  const job = (id: string, state: Job['state'], pipeline: string) =>
    ({ id, kind: 'Redrive', state, pipeline, createdMs: 0 }) as unknown as Job;
  const jobs: Job[] = [job('one', 'Running', 'a'), job('two', 'Running', 'b')];
  const context = {
    clock,
    store: {
      jobs: {
        open: () => Promise.resolve(jobs),
        cancel: () => Promise.reject(new Error('it cannot be cancelled')),
      },
      redrives: {
        endDone: () => Promise.resolve(),
        choose: (id: JobId) => {
          chosen.push(id);
          return Promise.resolve('done');
        },
      },
    },
    partitions: () => partitions,
    open: () => ({ isClosed: false }) as Partial<Lane> as Lane,
    close: () => undefined,
    destinationOf: () => DESTINATION,
    isDeleted: (pipeline: PipelineId) => String(pipeline) === 'deleted',
    onError: (error: unknown) => errors.push(error),
  } as unknown as RedrivingContext;
  const looked = (): number => {
    const seen = looks;
    looks = 0;
    return seen;
  };
  return { all: new Redriving(context), clock, jobs, job, chosen, errors, looked };
};

it('looks once for room, however many keys have become idle', async () => {
  const { all, clock, looked } = redriving();
  await all.look();
  looked();
  for (let key = 0; key < 500; key += 1) all.poke();
  expect(looked()).toBe(0);
  await clock.settle();
  expect(looked()).toBe(6);
  all.poke();
  await clock.settle();
  expect(looked()).toBe(6);
});

it('goes on with others when one of them fails', async () => {
  const { all, jobs, job, chosen, errors } = redriving();
  jobs.unshift(job('zero', 'Running', 'deleted'), job('half', 'Preparing', 'a'));
  await all.look();
  expect(chosen).toEqual(['half']);
  expect(errors).toHaveLength(1);
});
