import type {
  ConnectionId,
  Instant,
  PipelineId,
  ReplayedRun,
  RunErrorGroup,
  RunId,
  RunStatus,
  WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { PostgresRunStore } from './postgres-run-store';
import { aRun, StoreDatabase, SUCCEEDED, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const ALL = { pipeline: null, status: null, from: null, to: null };
const PAGE = { limit: 100, after: '' };
const ENDED = '2026-06-01T00:01:00.000Z' as Instant;

const progressOf = (count: number): ReplayedRun['progress'] => ({
  passed: Array<number>(6).fill(count),
  failed: [0, 0, 0, 0, 0, 0],
  ...{ rate: 12.5, eta: 8, total: 100 },
});

const aReplay = (members: Partial<ReplayedRun> = {}): ReplayedRun => ({
  run: newId() as RunId,
  workspace: WORKSPACE,
  pipeline: 'pipeline00000002' as PipelineId,
  connection: 'connection000002' as ConnectionId,
  ...{ pipelineName: 'Carts', pipelineVersion: 3, mode: 'deliver', actor: 'key1' },
  from: '2026-05-01T00:00:00.000Z' as Instant,
  to: '2026-05-02T00:00:00.000Z' as Instant,
  requestedAt: '2026-06-01T00:00:00.000Z' as Instant,
  ...{ sequence: 1, cancelledBy: null, progress: progressOf(10), warnings: [] },
  ...{ ending: null, errors: [] },
  ...members,
});

const ended = (status: 'Succeeded' | 'Failed' | 'Cancelled', error = '') => ({
  ending: { status, at: ENDED, error },
});

const factsOf = async (run: RunId) =>
  (await store.factsOf(run, PAGE)).map(({ view: { type, actor, data } }) => [
    ...[type, actor, JSON.parse(data) as object],
  ]);

const typesOf = async (run: RunId) => (await factsOf(run)).map(([type]) => type);

it('shows a replay as a run while it goes on, by the newest telling', async () => {
  const replay = aReplay();
  await store.recordReplay(replay);
  await store.recordReplay({ ...replay, sequence: 3, progress: progressOf(30) });
  await store.recordReplay({ ...replay, sequence: 2, progress: progressOf(20) });
  expect(await store.find(WORKSPACE, replay.run)).toEqual({
    ...{ id: replay.run, pipeline: replay.pipeline, pipelineName: 'Carts', pipelineVersion: 3 },
    ...{ connection: replay.connection, trigger: 'Replay', replayMode: 'deliver' },
    ...{ status: 'Running', incremental: null, startingCursor: null, attempt: 1, purged: 0 },
    waiting: null,
    ...{ startTime: replay.requestedAt, endTime: null, error: '', warnings: [] },
    ...{ passed: [0, 0, 0, 0, 0, 0], failed: [0, 0, 0, 0, 0, 0], progress: progressOf(30) },
  });
  expect(await store.find('workspace0000002', replay.run)).toBeUndefined();
  expect(await typesOf(replay.run)).toEqual(['ReplayAccepted']);
});

it('records its end once, with its totals, and nothing that is told later', async () => {
  const replay = aReplay();
  const last = { ...replay, sequence: 2, progress: progressOf(50), ...ended('Succeeded') };
  await store.recordReplay(replay);
  await Promise.all(Array.from({ length: 8 }, () => store.recordReplay(last)));
  await store.recordReplay({ ...replay, sequence: 3, progress: progressOf(60) });
  await store.recordReplay({ ...last, sequence: 4, ...ended('Failed', 'too late') });
  expect(await store.find(WORKSPACE, replay.run)).toMatchObject({
    ...{ status: 'Succeeded', endTime: ENDED, error: '', progress: null },
    ...{ passed: Array(6).fill(50), failed: Array(6).fill(0) },
  });
  expect(await factsOf(replay.run)).toEqual([
    [
      'ReplayAccepted',
      'key1',
      expect.objectContaining({ run: replay.run, mode: 'deliver', from: replay.from }),
    ],
    [
      'RunSucceeded',
      'system',
      expect.objectContaining({ passed: Array(6).fill(50), status: 'Succeeded', error: '' }),
    ],
  ]);
});

it('records who has cancelled it once, before its end, and what was left', async () => {
  const replay = aReplay({ pipelineVersion: null, mode: 'shadow' });
  const cancelled = { ...replay, cancelledBy: 'key2' };
  await store.recordReplay(replay);
  await store.recordReplay({ ...cancelled, sequence: 2 });
  await store.recordReplay({ ...cancelled, sequence: 3 });
  const warnings = ['4 events had not ended when the replay was cancelled'];
  await store.recordReplay({
    ...{ ...cancelled, sequence: 4, warnings },
    ...ended('Cancelled', 'run was cancelled'),
  });
  expect(await store.find(WORKSPACE, replay.run)).toMatchObject({
    ...{ status: 'Cancelled', error: 'run was cancelled', warnings },
    ...{ pipelineVersion: null, replayMode: 'shadow' },
  });
  expect((await factsOf(replay.run)).map(([type, actor]) => [type, actor])).toEqual([
    ['ReplayAccepted', 'key1'],
    ['RunCancelRequested', 'key2'],
    ['RunCancelled', 'system'],
  ]);
});

it('is whole when only its end is told: its routers had reached no executor before', async () => {
  const replay = aReplay({ cancelledBy: 'key2', ...ended('Cancelled', 'run was cancelled') });
  await store.recordReplay(replay);
  await store.recordReplay({ ...replay, sequence: 2 });
  expect(await typesOf(replay.run)).toEqual([
    ...['ReplayAccepted', 'RunCancelRequested', 'RunCancelled'],
  ]);
});

const group = (members: Partial<RunErrorGroup> = {}): RunErrorGroup => ({
  ...{ step: 'Finalize', code: '400', message: 'answered 400', count: 2, samples: ['m1', 'm2'] },
  ...members,
});

it('has one group of errors that are the same once their texts are cleaned', async () => {
  const same = [group({ message: 'no\u0000', count: 2 }), group({ message: 'no\u0000', count: 3 })];
  const replay = aReplay({ errors: same });
  await store.recordReplay(replay);
  const found = await store.errorsOf(replay.run, PAGE);
  expect(found.map(({ view: { count, samples } }) => ({ count, samples }))).toEqual([
    { count: 5, samples: group().samples },
  ]);
});

it('has the errors of the newest telling', async () => {
  const replay = aReplay({ errors: [group(), group({ step: 'Transformation' })] });
  await store.recordReplay(replay);
  const errors = async () =>
    (await store.errorsOf(replay.run, PAGE)).map(
      ({ view: { step, code, message, count, samples } }): RunErrorGroup => ({
        ...{ step, code, message, count, samples },
      }),
    );
  expect(await errors()).toEqual([group({ step: 'Transformation' }), group()]);
  const more = [
    group({ count: 5 }),
    group({ code: 'Other', message: 'other errors', samples: [] }),
  ];
  await store.recordReplay({ ...replay, sequence: 2, errors: more });
  expect(await errors()).toEqual(more);
  const [{ view } = { view: undefined }] = await store.errorsOf(replay.run, PAGE);
  expect(Date.parse(view?.lastAt ?? '')).toBeGreaterThan(Date.parse(view?.firstAt ?? ''));
  await store.recordReplay({
    ...replay,
    sequence: 3,
    errors: [group({ count: 6 })],
    ...ended('Failed', 'x'),
  });
  const [{ view: last } = { view: undefined }] = await store.errorsOf(replay.run, PAGE);
  expect(last).toMatchObject({ count: 6, lastAt: ENDED });
});

it('is listed among imports: newest first, in pages, by pipeline, status and time', async () => {
  const made: { id: RunId; pipeline: string; status: RunStatus }[] = [];
  for (let at = 0; at < 12; at += 1) {
    const requestedAt = `2026-06-01T00:00:${String(at).padStart(2, '0')}.000Z` as Instant;
    if (at % 3 === 0) {
      const run = aRun({ requestedAt });
      await store.accept([run]);
      made.unshift({ id: run.run, pipeline: run.pipeline, status: 'Queued' });
      continue;
    }
    const isEnded = at % 3 === 1;
    const replay = aReplay({ requestedAt, ...(isEnded && ended('Failed', 'x')) });
    await store.recordReplay(replay);
    const status = isEnded ? 'Failed' : 'Running';
    made.unshift({ id: replay.run, pipeline: replay.pipeline, status });
  }
  const idsOf = async (wanted: Parameters<typeof store.list>[1], limit = 100) => {
    const ids: RunId[] = [];
    for (;;) {
      const page = await store.list(WORKSPACE, wanted, { limit, after: ids.at(-1) ?? '' });
      ids.push(...page.map(({ id }) => id));
      if (page.length < limit) return ids;
    }
  };
  const all = made.map(({ id }) => id);
  for (const limit of [1, 5, 12]) expect(await idsOf(ALL, limit)).toEqual(all);
  for (const status of ['Queued', 'Running', 'Failed'] as const)
    expect(await idsOf({ ...ALL, status }, 2)).toEqual(
      made.filter((each) => each.status === status).map(({ id }) => id),
    );
  const pipeline = 'pipeline00000002';
  expect(await idsOf({ ...ALL, pipeline })).toEqual(
    made.filter((each) => each.pipeline === pipeline).map(({ id }) => id),
  );
  const from = '2026-06-01T00:00:04.000Z' as Instant;
  const to = '2026-06-01T00:00:08.000Z' as Instant;
  expect(await idsOf({ ...ALL, from, to })).toEqual(all.slice(4, 8));
  expect(await store.list('workspace0000002', ALL, PAGE)).toEqual([]);
});

describe('no executor works on it', () => {
  it('claims, cancels or cleans it, or counts it among the runs of the workspace', async () => {
    for (let at = 0; at < 4; at += 1) await store.recordReplay(aReplay());
    await store.recordReplay(aReplay({ cancelledBy: 'key2' }));
    await store.recordReplay(aReplay(ended('Succeeded')));
    await database.pass(3_600_000);
    expect(await store.claim('w1')).toBeUndefined();
    expect(await store.takeCancelled(0)).toEqual([]);
    const none = { runs: [], workspaces: [] };
    expect(await store.left('told', 10, none)).toEqual([]);
    expect(await store.left('cleaned', 10, none)).toEqual([]);
    await store.accept([aRun(), aRun(), aRun(), aRun(), aRun()]);
    for (let at = 0; at < 4; at += 1) expect(await store.claim('w1')).toBeDefined();
    expect(await store.claim('w1')).toBeUndefined();
  });

  it('takes the place of an import of the same id, nor changes it', async () => {
    const run = aRun();
    await store.accept([run]);
    const claimed = await store.claim('w1');
    await store.recordReplay(aReplay({ run: run.run, ...ended('Failed', 'x') }));
    await store.end(run.run, claimed?.epoch ?? 0, SUCCEEDED);
    expect(await store.find(WORKSPACE, run.run)).toMatchObject({ replayMode: null, error: '' });
  });
});

it('publishes its facts with those of other runs, and is erased with its workspace', async () => {
  const [replay, other] = [aReplay(ended('Succeeded')), 'workspace0000002' as WorkspaceId];
  await store.recordReplay(replay);
  await store.recordReplay(aReplay({ workspace: other }));
  const published: string[] = [];
  await store.publish(10, (facts) => {
    for (const { fact } of facts) if (fact.run === replay.run) published.push(fact.fact.type);
    return Promise.resolve({ ids: facts.map(({ id }) => id), end: facts.length });
  });
  expect(published).toEqual(['ReplayAccepted', 'RunSucceeded']);
  expect([...(await store.workspaces())].sort()).toEqual([WORKSPACE, other].sort());
  await store.erase(WORKSPACE);
  expect(await store.list(WORKSPACE, ALL, PAGE)).toEqual([]);
  expect(await store.list(other, ALL, PAGE)).toHaveLength(1);
});
