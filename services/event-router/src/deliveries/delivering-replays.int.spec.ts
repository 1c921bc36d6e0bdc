import {
  REPLAY_DELIVERY_COUNTS,
  type ReplayDeliveryCounts,
  type ReplayView,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { destinationState, sourceState } from '../testing/installation.fixture';
import { functionState, onlyEvent, pipelineState } from '../testing/pipelines.fixture';
import { until } from '../testing/until.fixture';
import { numbered, PAGE, PIPELINE, ReplayStand } from './replays.fixture';

jest.setTimeout(600_000);

let stand: ReplayStand;
let { installation, receiver, questions } = {} as ReplayStand;

beforeEach(async () => {
  stand = await ReplayStand.open('deliver');
  ({ installation, receiver, questions } = stand);
});

afterEach(() => stand.close());

const create: ReplayStand['create'] = (...given) => stand.create(...given);
const get: ReplayStand['get'] = (...given) => stand.get(...given);
const ended: ReplayStand['ended'] = (...given) => stand.ended(...given);

const countsOf = ({ deliveries }: ReplayView): Partial<ReplayDeliveryCounts> =>
  Object.fromEntries(Object.entries(deliveries ?? {}).filter(([, count]) => count !== 0));

/** Whether every event that was read is in one of the numbers. */
const isConserved = ({ deliveries }: ReplayView): boolean =>
  REPLAY_DELIVERY_COUNTS.reduce((sum, name) => sum + (deliveries?.[name] ?? NaN), 0) ===
  2 * (deliveries?.events ?? NaN);

const failures = (id: string, withValues = true, page = PAGE) =>
  questions.ask('ListReplayFailures', { ...page, pipeline: PIPELINE, id, withValues });

const configured = async (events = 0, settings: object = {}): Promise<void> => {
  const destination = destinationState(receiver.url, settings);
  await installation.configure(sourceState(), destination, pipelineState());
  await installation.start();
  await installation.accept(...numbered(events));
  await until(async () => ((await installation.counts())['Delivered'] ?? 0) === events);
};

/** Keeps requests from being answered until the returned function is called. */
const holding = (): (() => void) => {
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  receiver.hold = () => held;
  return free;
};

it('sends every event of its window again, in order, and changes no number of the live pipeline', async () => {
  await configured(50);
  const [counts, live] = [await installation.counts(), receiver.taken.splice(0)];
  const replay = await ended(await create());
  expect(replay).toMatchObject({
    ...{ mode: 'deliver', state: 'Succeeded', reason: '', version: 1, summary: null },
    progress: { read: 50, total: 50, rate: 0, remainingSeconds: null },
  });
  expect(countsOf(replay)).toEqual({ events: 50, delivered: 50 });
  expect(receiver.taken).toHaveLength(50);
  const keys = new Set(live.map(({ idempotencyKey }) => idempotencyKey));
  expect(receiver.taken.some(({ idempotencyKey }) => keys.has(idempotencyKey))).toBe(false);
  for (let user = 0; user < 7; user += 1) {
    const of = numbered(50).filter((event) => event.user === `user ${String(user)}`);
    expect(receiver.of(`user ${String(user)}`)).toEqual(of.map(({ messageId }) => messageId));
  }
  expect(await installation.counts()).toEqual(counts);
  const { endings, open } = await questions.ask('GetConservation', {
    pipeline: PIPELINE,
    connection: null,
  });
  expect([endings, open]).toEqual([expect.objectContaining({ Delivered: 50 }), 0]);
  expect(await questions.ask('ListReplays', { ...PAGE, pipeline: PIPELINE })).toEqual({
    replays: [replay],
    cursor: '',
  });
});

/** Numbers of commits with outcomes, and with failed attempts, of live deliveries and redrives. */
const recorded = async (): Promise<unknown> => {
  const { rows } = await installation.pool.query<object>(
    `SELECT (SELECT count(*) FROM penstock_router.outcomes) AS outcomes,
            (SELECT count(*) FROM penstock_router.attempts) AS attempts,
            (SELECT sum(retries) FROM penstock_router.delivery_times) AS retries`,
  );
  return rows;
};

it('runs functions, retries, and shows what was rejected', async () => {
  const source = `function transform(event) {
    if (event.event === 'Bad') throw new RangeError('of ' + event.anonymousId);
    return { properties: { name: event.event, id: event.messageId } };
  }`;
  const state = functionState(source);
  await installation.configure(sourceState(), destinationState(receiver.url), state);
  await installation.start();
  await installation.accept(...numbered(9, 'Good'), ...numbered(2, 'Bad'), ...numbered(1, 'No'));
  await until(async () => (await installation.counts())['Delivered'] === 10);
  await until(async () => ((await installation.counts())['Rejected'] ?? 0) === 2);
  const live = [await installation.storedDeliveries(), await recorded()];
  receiver.taken.splice(0);
  let failing = 3;
  receiver.answerText = (status) => (status === 400 ? 'no such item' : '');
  receiver.answer = ({ name }) => {
    if (name === 'No') return 400;
    failing -= 1;
    return failing >= 0 ? 503 : 200;
  };
  const replay = await ended(await create());
  expect(countsOf(replay)).toEqual({ events: 12, delivered: 9, rejected: 3 });
  expect(receiver.taken).toHaveLength(9);
  const { failures: found } = await failures(replay.id);
  expect(found.find(({ messageId }) => messageId === 'message No 0')).toMatchObject({
    ...{ state: 'Rejected', step: 'Finalize', code: '400', attempts: 1, source: sourceState().id },
    reason: expect.stringContaining('no such item') as string,
  });
  expect(found.filter(({ step }) => step === 'Transformation')).toHaveLength(2);
  expect([await installation.storedDeliveries(), await recorded()]).toEqual(live);
});

it('is about the filters of replay and pipeline, and leaves out repetitions and suppressed users', async () => {
  const filter = JSON.stringify({
    logical: 'or',
    conditions: ['A', 'B'].map((name) => ({ property: 'event', operator: 'is', values: [name] })),
  });
  await installation.configure(
    sourceState(),
    destinationState(receiver.url),
    pipelineState({ filter }),
  );
  await installation.start();
  await installation.accept(
    ...numbered(4, 'A'),
    ...numbered(3, 'B'),
    ...numbered(2, 'C'),
    ...numbered(2, 'A'),
    { user: 'u', messageId: 'opted out', event: 'A', integrations: { All: false } },
    { user: 'u', messageId: 'of Eve', event: 'A', userId: 'Eve' },
  );
  await until(() => Promise.resolve(receiver.taken.length === 8));
  await installation.suppress('Eve');
  receiver.taken.splice(0);
  const replay = await ended(await create({ filter: onlyEvent('A') }));
  expect(countsOf(replay)).toEqual({
    ...{ events: 13, delivered: 4, duplicates: 2, suppressed: 1, filtered: 6 },
  });
  expect(isConserved(replay)).toBe(true);
  expect(receiver.taken).toHaveLength(4);
});

it('tells how far it is at every moment, and ends before its events when it is cancelled', async () => {
  await configured(300, { batchSize: 1 });
  receiver.taken.splice(0);
  let cancel: () => void = () => undefined;
  const cancelled = new Promise<void>((resolve) => (cancel = resolve));
  let answered = 0;
  // Half of the events cannot be delivered before it is cancelled.
  receiver.hold = () => {
    answered += 1;
    return answered < 150 ? new Promise((resolve) => setTimeout(resolve, 20)) : cancelled;
  };
  const id = await create();
  let running = await get(id);
  await until(async () => {
    running = await get(id);
    return (running.deliveries?.delivered ?? 0) > 0 && running.progress.rate > 0;
  });
  expect(isConserved(running)).toBe(true);
  expect(running.deliveries?.open).toBeGreaterThan(0);
  const { events = 0, open = 0 } = countsOf(running);
  expect(running.progress).toMatchObject({ total: 300, read: events - open });
  expect(running.progress.remainingSeconds).toBeGreaterThan(0);
  expect(running.endedAt).toBeNull();
  await expect(create()).rejects.toMatchObject({ code: 'ReplayAlreadyRunning' });
  await questions.ask('CancelReplay', { pipeline: PIPELINE, id });
  cancel();
  const after = await ended(id);
  expect(after).toMatchObject({ state: 'Cancelled', deliveries: { open: 0 } });
  expect(isConserved(after)).toBe(true);
  const { delivered = 0 } = countsOf(after);
  expect(delivered).toBeLessThan(300);
  expect(receiver.taken).toHaveLength(delivered);
  await questions.ask('CancelReplay', { pipeline: PIPELINE, id });
  expect(await get(id)).toEqual(after);
});

it('is created once for a command, and not for a disabled pipeline', async () => {
  await configured(1);
  const id = await create({}, 'command 1');
  expect(await create({}, 'command 1')).toBe(id);
  await ended(id);
  await installation.configure(pipelineState({ version: 2, enabled: false }));
  await expect(create()).rejects.toMatchObject({ code: 'PipelineDisabled' });
  expect((await ended(await create({ mode: 'shadow' }))).state).toBe('Succeeded');
});

it('is cancelled when its pipeline is deleted, with the reason', async () => {
  await configured(20, { batchSize: 1 });
  const free = holding();
  const id = await create();
  await until(async () => ((await get(id)).deliveries?.open ?? 0) > 0);
  await installation.configure(pipelineState({ version: 2, deleted: true }));
  free();
  const replay = await ended(id);
  expect(replay).toMatchObject({
    ...{ state: 'Cancelled', reason: 'pipeline was deleted' },
  });
  expect(isConserved(replay)).toBe(true);
});

it('goes on in another router after one was stopped or the database was away, and counts each event once', async () => {
  await configured(400, { batchSize: 1 });
  receiver.taken.splice(0);
  receiver.hold = () => new Promise((resolve) => setTimeout(resolve, 5));
  const id = await create();
  await until(() => Promise.resolve(receiver.taken.length > 50));
  const [first] = [await installation.start()];
  await until(() => Promise.resolve(receiver.taken.length > 100));
  await installation.endSessions();
  await until(() => Promise.resolve(receiver.taken.length > 150));
  await first.close();
  await until(() =>
    get(id).then(
      ({ endedAt }) => endedAt !== null,
      () => false,
    ),
  );
  expect(countsOf(await get(id))).toEqual({ events: 400, delivered: 400 });
  const sent = new Set(receiver.taken.map(({ body }) => body['messageId']));
  expect(sent.size).toBe(400);
});

it('counts what retention removes before it is sent', async () => {
  await configured(6);
  const free = holding();
  const id = await create();
  await until(async () => ((await get(id)).deliveries?.open ?? 0) > 0);
  await installation.pool.query('UPDATE penstock_router.partitions SET epoch = epoch + 1');
  await installation.forget();
  free();
  const replay = await ended(id);
  expect(replay.state).toBe('Succeeded');
  expect(isConserved(replay)).toBe(true);
  expect(replay.deliveries).toMatchObject({ events: 6, open: 0 });
});

describe('failures', () => {
  const rejectedReplay = async (): Promise<string> => {
    await configured();
    await installation.accept(
      { user: 'u', messageId: 'm1', userId: 'Eve' },
      { user: 'u', messageId: 'm2' },
      { user: 'v', messageId: 'm3' },
    );
    await until(() => Promise.resolve(receiver.taken.length === 3));
    receiver.answerText = () => 'Ada is wrong';
    receiver.answer = () => 400;
    return (await ended(await create())).id;
  };

  it('are answered in pages, and each access to whole reasons is recorded', async () => {
    const id = await rejectedReplay();
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await failures(id, true, { limit: 2, cursor });
      seen.push(...page.failures.map(({ delivery }) => delivery));
      ({ cursor } = page);
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(3);
    const { accesses } = await questions.ask('ListAccesses', PAGE);
    expect(accesses.map(({ delivery }) => delivery).sort()).toEqual(seen.sort());
  });

  it('do not quote answers to a caller who may not see values', async () => {
    const id = await rejectedReplay();
    const { failures: masked } = await failures(id, false);
    expect(masked.map(({ reason }) => reason)).not.toContain(expect.stringContaining('Ada'));
    expect(masked.map(({ state, code }) => [state, code])).toEqual(
      Array.from({ length: 3 }, () => ['Rejected', '400']),
    );
    expect((await questions.ask('ListAccesses', PAGE)).accesses).toEqual([]);
    const { failures: whole } = await failures(id);
    expect(whole[0]?.reason).toContain('Ada is wrong');
  });

  it('of a user who is suppressed later are erased', async () => {
    const id = await rejectedReplay();
    await installation.suppress('Eve');
    await until(async () => (await failures(id)).failures.length === 2);
    expect(countsOf(await get(id))).toEqual({ events: 3, rejected: 3 });
  });

  it('are found by the pipeline and id of their replay only', async () => {
    const id = await rejectedReplay();
    await expect(failures(newId())).rejects.toMatchObject({ code: 'ReplayNotExist' });
    const other = { ...PAGE, pipeline: 'pipeline0000009' as never, id, withValues: false };
    await expect(questions.ask('ListReplayFailures', other)).rejects.toThrow();
  });
});
