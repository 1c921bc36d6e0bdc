import type { JobId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { JobPlace, NewJob } from '../jobs/job';
import { PIPELINE } from './changes.fixture';
import type { StoreHarness } from './store-harness';

const WORKSPACE = 'workspace00000a' as WorkspaceId;
/** Where the jobs of the contract are. */
export const PLACE: JobPlace = { kind: 'Redrive', workspace: WORKSPACE, pipeline: PIPELINE };
const idOf = (number: number): JobId => `job000000000${String(number)}` as JobId;

/** A job that differs from others by its number. */
export const newJob = (number: number, given: Partial<NewJob> = {}): NewJob => ({
  ...PLACE,
  id: idOf(number),
  request: '{}',
  actor: 'key0000000001',
  command: `command ${String(number)}`,
  ...given,
});

/** Jobs are recorded once, found by their pipeline, and end once. */
export const itKeepsJobs = ({ open, nowMs }: StoreHarness): void => {
  it('records a job once for its command', async () => {
    const { jobs } = await open('one');
    const fromMs = Math.floor(await nowMs());
    const job = (await jobs.create(newJob(1)))!;
    const toMs = await nowMs();
    expect(job).toMatchObject({ ...newJob(1), state: 'Preparing', endedMs: null });
    expect(job.counts).toEqual(new Map());
    expect(job.createdMs).toBeGreaterThanOrEqual(fromMs);
    expect(job.createdMs).toBeLessThanOrEqual(toMs + 1);
    expect(await jobs.create(newJob(2, { command: 'command 1' }))).toEqual(job);
    expect(await jobs.open()).toEqual([job]);
  });

  it('records up to ten open jobs of a pipeline and kind', async () => {
    const { jobs } = await open('one');
    const { id } = (await jobs.create(newJob(1)))!;
    for (let number = 2; number <= 10; number += 1)
      expect(await jobs.create(newJob(number))).toBeDefined();
    expect(await jobs.create(newJob(11))).toBeUndefined();
    expect(await jobs.create(newJob(11, { command: 'command 1' }))).toMatchObject({ id });
    expect(await jobs.create(newJob(12, { kind: 'Replay' }))).toBeDefined();
    expect(await jobs.create(newJob(13, { pipeline: 'another' as PipelineId }))).toBeDefined();
    expect(await jobs.create(newJob(14, { workspace: 'another' as WorkspaceId }))).toBeDefined();
    await jobs.end(id, 'Cancelled');
    expect(await jobs.create(newJob(15))).toBeDefined();
    expect(await jobs.create(newJob(16))).toBeUndefined();
  });

  it('lists the jobs of a pipeline and kind in pages, newest first', async () => {
    const { jobs } = await open('one');
    for (const number of [2, 1, 3]) await jobs.create(newJob(number));
    await jobs.create(newJob(4, { kind: 'Replay' }));
    await jobs.create(newJob(5, { pipeline: 'another' as PipelineId }));
    await jobs.create(newJob(6, { workspace: 'another' as WorkspaceId }));
    const page = async (limit: number, before?: JobId): Promise<string[]> =>
      (await jobs.list(PLACE, { limit, ...(before && { before }) })).map(({ id }) => id);
    expect(await page(2)).toEqual([idOf(3), idOf(2)]);
    expect(await page(3)).toEqual([idOf(3), idOf(2), idOf(1)]);
    expect(await page(3, idOf(3))).toEqual([idOf(2), idOf(1)]);
    expect(await page(3, idOf(1))).toEqual([]);
  });

  it('finds a job by its workspace, pipeline, kind and id only', async () => {
    const { jobs } = await open('one');
    const job = (await jobs.create(newJob(1)))!;
    expect(await jobs.get(PLACE, job.id)).toEqual(job);
    expect(await jobs.get(PLACE, idOf(2))).toBeUndefined();
    expect(await jobs.get({ ...PLACE, kind: 'Replay' }, job.id)).toBeUndefined();
    expect(await jobs.get({ ...PLACE, pipeline: 'x' as PipelineId }, job.id)).toBeUndefined();
    expect(await jobs.get({ ...PLACE, workspace: 'x' as WorkspaceId }, job.id)).toBeUndefined();
  });

  it('lets a job begin after its preparation, and end once', async () => {
    const [one, other] = [(await open('one')).jobs, (await open('other')).jobs];
    const { id } = (await one.create(newJob(1)))!;
    const state = async () => (await other.get(PLACE, id))?.state;
    await one.begin(id);
    expect(await state()).toBe('Running');
    await one.end(id, 'Succeeded');
    expect(await state()).toBe('Succeeded');
    expect((await other.get(PLACE, id))?.endedMs).toBeGreaterThan(0);
    await one.cancel(id);
    await one.begin(id);
    await one.end(id, 'Failed');
    expect(await state()).toBe('Succeeded');
    expect(await other.open()).toEqual([]);
  });

  it.each(['Preparing', 'Running'])('lets one that is %s be cancelled', async (before) => {
    const { jobs } = await open('one');
    const { id } = (await jobs.create(newJob(1)))!;
    if (before === 'Running') await jobs.begin(id);
    await jobs.cancel(id);
    await jobs.begin(id);
    await jobs.cancel(id);
    expect(await jobs.open()).toMatchObject([{ id, state: 'Cancelling', endedMs: null }]);
    await jobs.end(id, 'Cancelled');
    expect(await jobs.get(PLACE, id)).toMatchObject({ state: 'Cancelled' });
  });
};
