import type { ConnectionId, JobId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { MAX_PAUSES } from '../max-pauses';
import { StoreDatabase } from './store-harness.fixture';

jest.setTimeout(600_000);

const LANE = 'destination0001' as ConnectionId;
const SECOND = 1_000;

const database = StoreDatabase.forEachTest();

it('joins the oldest pauses of a lane that has more than are kept, as earlier versions wrote them', async () => {
  const store = await database.open('one');
  const times = 5 * MAX_PAUSES;
  const fromMs = Math.floor(await database.nowMs()) - times * SECOND;
  const pauses = Array.from({ length: times }, (_, index) => {
    const atMs = fromMs + index * SECOND;
    return [atMs, atMs + SECOND / 2] as const;
  });
  await database.pool.query('INSERT INTO penstock_router.lanes (lane, pauses) VALUES ($1, $2)', [
    LANE,
    JSON.stringify(pauses),
  ]);
  const [oldest, ...newer] = pauses.slice(-MAX_PAUSES);
  const joined = [[fromMs, oldest![1]], ...newer];
  const [listed] = await store.lanes();
  expect(listed!.pauses.map((each) => [each.fromMs, each.toMs])).toEqual(joined);
  await store.sweep();
  const { rows } = await database.pool.query('SELECT pauses FROM penstock_router.lanes');
  expect(rows).toEqual([{ pauses: joined }]);
});

it('forgets the pause of a job that has ended', async () => {
  const store = await database.open('one');
  const place = {
    kind: 'Redrive' as const,
    workspace: 'workspace0000001' as WorkspaceId,
    pipeline: 'pipeline00000001' as PipelineId,
  };
  const [open, ended] = ['job0000000000001', 'job0000000000002'] as [JobId, JobId];
  for (const id of [open, ended])
    await store.jobs.create({ ...place, id, request: '{}', actor: 'key', command: id });
  const lanes = [LANE, `job:${open}`, `job:${ended}`] as const;
  for (const lane of lanes) await store.pause(lane, 1, await database.nowMs(), '401');
  const listed = async () => (await store.lanes()).map(({ lane }) => lane);
  await store.sweep();
  expect(await listed()).toEqual(lanes);
  await store.jobs.end(ended, 'Cancelled');
  await store.sweep();
  expect(await listed()).toEqual(lanes.slice(0, 2));
});
