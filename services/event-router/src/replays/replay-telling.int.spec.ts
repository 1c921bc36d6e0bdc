import {
  type ConfigurationState,
  instant,
  type OrganizationId,
  type PipelineId,
  type ReplayedRun,
  type RunErrorGroup,
} from '@penstock/contracts';
import { numbered, PIPELINE, ReplayStand } from '../deliveries/replays.fixture';
import { PostgresRedrives } from '../store/postgres/redrives/redrives';
import { Database } from '../store/postgres/sql/database';
import { destinationState, sourceState } from '../testing/installation.fixture';
import { functionState, pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { until } from '../testing/until.fixture';
import { Replays } from './replays';

jest.setTimeout(600_000);

const ORGANIZATION = 'organization0001' as OrganizationId;

let stand: ReplayStand;
let { installation, receiver } = {} as ReplayStand;

beforeEach(async () => {
  stand = await ReplayStand.open('deliver');
  ({ installation, receiver } = stand);
});

afterEach(() => stand.close());

const configured = async (events = 0, settings: object = {}) => {
  const destination = destinationState(receiver.url, settings);
  await installation.configure(sourceState(), destination, pipelineState());
  const router = await installation.start();
  await installation.accept(...numbered(events));
  await until(async () => ((await installation.counts())['Delivered'] ?? 0) === events);
  return router;
};

/** The organization of the workspace, disabled. */
const disabled = (): ConfigurationState[] => [
  { kind: 'organization', id: ORGANIZATION, name: 'Org', enabled: false, apiKeys: [] },
  {
    ...{ kind: 'workspace', id: WORKSPACE, organization: ORGANIZATION, version: 1 },
    ...{ name: 'Shop', deleted: false },
  },
];

const toldOf = (id: string): ReplayedRun[] => installation.told.filter(({ run }) => run === id);

/** How often routers have looked whether there is something to tell of it, and whether its end was told. */
const tellingOf = async (id: string): Promise<{ told: number; is_told: boolean }> => {
  const { rows } = await installation.pool.query<{ told: number; is_told: boolean }>(
    'SELECT told::int, is_told FROM penstock_router.replays WHERE job = $1',
    [id],
  );
  return rows[0]!;
};

/** Waits until routers have looked so often from now on. */
const looks = async (id: string, count: number): Promise<void> => {
  const { told } = await tellingOf(id);
  await until(async () => (await tellingOf(id)).told >= told + count);
};

const endTold = async (id: string): Promise<ReplayedRun> => {
  await until(() => Promise.resolve(toldOf(id).at(-1)?.ending != null));
  return toldOf(id).at(-1)!;
};

it('tells of a replay that delivers while it goes on, and of its end once', async () => {
  await configured(200, { batchSize: 1 });
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  let answered = 0;
  receiver.hold = () => ((answered += 1) < 100 ? Promise.resolve() : held);
  const id = await stand.create();
  await until(() => Promise.resolve((toldOf(id).at(-1)?.progress.passed[5] ?? 0) > 0));
  expect(toldOf(id)[0]).toMatchObject({
    ...{ workspace: WORKSPACE, pipeline: PIPELINE, connection: destinationState('').id },
    ...{ pipelineName: pipelineState().name, pipelineVersion: 1, mode: 'deliver', actor: 'key-1' },
    ...{ ending: null, cancelledBy: null },
    progress: { total: 200 },
  });
  go();
  const last = await endTold(id);
  const replay = await stand.get(id);
  expect(last).toMatchObject({
    ...{ requestedAt: replay.createdAt, errors: [], warnings: [] },
    ending: { status: 'Succeeded', at: replay.endedAt, error: '' },
    progress: { passed: Array(6).fill(200), failed: Array(6).fill(0), rate: 0, eta: null },
  });
  const tellings = toldOf(id).map(({ sequence }) => sequence);
  expect(tellings).toEqual([...tellings].sort((a, b) => a - b));
  expect(new Set(tellings).size).toBe(tellings.length);
  await until(async () => (await tellingOf(id)).is_told);
  expect(toldOf(id)).toHaveLength(tellings.length);
});

it('tells nothing of a replay that delivers while nothing changes', async () => {
  await configured(20, { batchSize: 1 });
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  receiver.hold = () => held;
  const id = await stand.create();
  const isHeld = async () => (await stand.get(id)).deliveries?.open === 20;
  await until(async () => toldOf(id).length > 0 && (await isHeld()));
  await looks(id, 3);
  const before = toldOf(id).length;
  await looks(id, 5);
  expect(toldOf(id)).toHaveLength(before);
  free();
  expect(await endTold(id)).toMatchObject({ ending: { status: 'Succeeded' } });
});

it('keeps a replay that ended long ago until its end was told', async () => {
  await configured(1);
  installation.onTold = () => Promise.reject(new Error('no executor answers'));
  const id = await stand.create();
  await stand.ended(id);
  const { pool } = installation;
  await pool.query(`UPDATE penstock_router.jobs SET ended = now() - interval '15 days'`);
  const sweep = async () => {
    await new Replays(pool).sweep(14);
    await new PostgresRedrives(new Database(pool)).sweep(14);
    return (await pool.query(`SELECT FROM penstock_router.jobs WHERE id = $1`, [id])).rowCount;
  };
  expect(await sweep()).toBe(1);
  await pool.query(`UPDATE penstock_router.replays SET is_told = true`);
  expect(await sweep()).toBe(0);
});

it('tells why deliveries have failed, by step, with ids of events and no values', async () => {
  const source = `function transform(event) {
    if (event.event === 'Bad') throw new RangeError('of ' + event.anonymousId);
    return { properties: { name: event.event, id: event.messageId } };
  }`;
  const state = functionState(source);
  await installation.configure(sourceState(), destinationState(receiver.url), state);
  await installation.start();
  await installation.accept(...numbered(9, 'Good'), ...numbered(2, 'Bad'), ...numbered(1, 'No'));
  await until(async () => (await installation.counts())['Delivered'] === 10);
  receiver.answerText = (status) => (status === 400 ? 'no such item' : '');
  receiver.answer = ({ name }) => (name === 'No' ? 400 : 200);
  const { progress, errors } = await endTold(await stand.create());
  expect(progress).toMatchObject({
    passed: [12, 12, 12, 10, 10, 9],
    failed: [0, 0, 0, 2, 0, 1],
  });
  expect(errors).toEqual([
    {
      ...{ step: 'Finalize', code: '400', count: 1, samples: ['message No 0'] },
      message: expect.not.stringContaining('no such item') as string,
    },
    {
      ...{ step: 'Transformation', code: expect.any(String) as string, count: 2 },
      message: 'the transformation failed',
      samples: expect.arrayContaining(['message Bad 0', 'message Bad 1']) as string[],
    },
  ]);
});

it('tells who has cancelled it, and how many events were left', async () => {
  await configured(20, { batchSize: 1 });
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  receiver.hold = () => held;
  const id = await stand.create();
  await until(async () => ((await stand.get(id)).deliveries?.open ?? 0) > 0);
  await stand.questions.ask('CancelReplay', { pipeline: PIPELINE, id });
  free();
  const { cancelledBy, ending, warnings, progress } = await endTold(id);
  const left = (await stand.get(id)).deliveries?.left ?? NaN;
  expect([cancelledBy, ending?.status, ending?.error]).toEqual([
    ...['key-1', 'Cancelled', 'run was cancelled'],
  ]);
  expect(warnings).toEqual(
    left === 0 ? [] : [`${String(left)} events had not ended when the replay was cancelled`],
  );
  expect((progress.passed[0] ?? 0) + left).toBe((await stand.get(id)).deliveries?.events);
});

it('tells of a shadow replay what it has compared, when there is something new', async () => {
  await configured(30);
  const { progress, ending, mode } = await endTold(await stand.create({ mode: 'shadow' }));
  expect([mode, ending?.status]).toEqual(['shadow', 'Succeeded']);
  expect(progress).toMatchObject({ passed: [30, 30, 30, 30, 30, 0], failed: Array(6).fill(0) });
});

it('tells again what was not answered, also by another router, and what was there before', async () => {
  const router = await configured(3);
  installation.onTold = () => Promise.reject(new Error('no executor answers'));
  const id = await stand.create();
  const replay = await stand.ended(id);
  expect(toldOf(id)).toEqual([]);
  await router.close();
  installation.onTold = () => Promise.resolve();
  await installation.pool.query(`UPDATE penstock_router.replays SET tell_at = now()`);
  await installation.pool.query(
    `UPDATE penstock_router.jobs SET request = (request::jsonb - 'connection' - 'pipelineName')::text`,
  );
  await installation.start();
  expect(await endTold(id)).toMatchObject({
    ...{ connection: destinationState('').id, pipelineName: pipelineState().name },
    ending: { status: 'Succeeded', at: replay.endedAt },
  });
});

it('ends replays of both modes when the organization is disabled', async () => {
  await configured(5, { batchSize: 1 });
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  receiver.hold = () => held;
  const id = await stand.create();
  await until(async () => ((await stand.get(id)).deliveries?.open ?? 0) > 0);
  await installation.configure(...disabled());
  free();
  const ended = { status: 'Cancelled', error: 'organization is disabled' };
  expect(await endTold(id)).toMatchObject({ ending: ended, cancelledBy: null });
  const shadow = await stand.create({ mode: 'shadow' });
  expect(await endTold(shadow)).toMatchObject({ ending: ended });
});

it('tells of at most a hundred reasons of a step and ten events of each, and of the number of the others', async () => {
  await configured(1);
  const id = await stand.create();
  await endTold(id);
  const failed = async (
    from: number,
    to: number,
    code: string,
  ): Promise<readonly RunErrorGroup[]> => {
    await installation.pool.query(
      `WITH more AS (
         INSERT INTO penstock_router.replay_failures
           (job, partition, "offset", state, step, code, reason, attempts, at, message_id, source, received)
         SELECT $1, 0, n, 'Rejected', 'Finalize', replace($4, '#', n::text), 'no: of Ada', 1, now(), 'm' || n, 's', now()
           FROM generate_series($2::int, $3::int) AS n RETURNING 1
       )
       INSERT INTO penstock_router.job_counts AS c (job, partition, name, count)
       SELECT $1, 0, 'rejected', count(*) FROM more
       ON CONFLICT (job, partition, name) DO UPDATE SET count = c.count + excluded.count`,
      [id, from, to, code],
    );
    // It is marked after it was told: a mark that comes later would undo this change.
    await until(async () => (await tellingOf(id)).is_told);
    const before = toldOf(id).length;
    await installation.pool.query(
      `UPDATE penstock_router.replays SET is_told = false, tell_at = now()`,
    );
    await until(() => Promise.resolve(toldOf(id).length > before));
    return toldOf(id).at(-1)?.errors ?? [];
  };
  const ten = await failed(1_001, 1_010, 'same');
  expect(ten).toMatchObject([{ code: 'same', message: 'no', count: 10 }]);
  expect(ten[0]?.samples).toHaveLength(10);
  const eleven = await failed(1_011, 1_011, 'same');
  expect(eleven).toMatchObject([{ count: 11, samples: ten[0]?.samples }]);
  expect(await failed(2_001, 2_099, '#')).toHaveLength(100);
  const errors = await failed(2_100, 2_101, '#');
  expect(errors).toHaveLength(101);
  expect(errors.at(-1)).toMatchObject({ step: 'Finalize', code: 'Other', count: 2, samples: [] });
});

it('tells of many at a time', async () => {
  await configured(1);
  const pipelines = Array.from({ length: 45 }, (_, at) => ({
    ...pipelineState(),
    id: `pipeline${String(at).padStart(8, '0')}` as PipelineId,
  }));
  await installation.configure(...pipelines);
  const wanted = { ...stand.all({ mode: 'shadow' }), to: instant(new Date()) };
  const ids = pipelines.map(({ id }) => id);
  for (const [at, pipeline] of ids.entries())
    await stand.questions.ask('CreateReplay', {
      ...{ id: `replay${String(at).padStart(10, '0')}` as never, command: null, pipeline, wanted },
    });
  const ended = () =>
    installation.told.filter(({ ending }) => ending !== null).map(({ run }) => run);
  await until(() => Promise.resolve(new Set(ended()).size === 45));
});
