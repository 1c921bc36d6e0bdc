import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import { onlyEvent } from './testing/pipelines.fixture';
import { delivered, messageIdOf, Stage, unavailable } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;
const BACKOFF_CAP_MS = 300 * SECOND_MS;

type Answer = (events: readonly OutgoingEvent[]) => readonly Outcome[];

const rejected: Answer = (events) =>
  events.map(() => ({ kind: 'rejected', reason: 'never', status: 400 }));

/** A destination that answers all events in a way that the test changes. */
class Changing {
  now: Answer = delivered;
  readonly answer: Answer = (events) => this.now(events);
}

/** A stage with delivered events: `each` of `users` users, in three partitions; another destination takes them too. */
const withEvents = async (
  changing: Changing,
  { users = 20, each = 5, limits = {}, maxAgeMs = 3_600_000 } = {},
): Promise<Stage> => {
  const stage = new Stage({
    destinations: [
      { name: 'strict', answer: changing.answer, limits, maxAgeMs },
      { name: 'other' },
    ],
    partitions: 3,
  });
  stage.start();
  for (let round = 0; round < each; round += 1)
    for (let user = 0; user < users; user += 1) stage.accept(`user${user}`, 1, 'A', user % 2);
  await stage.run(5 * SECOND_MS);
  while (stage.takenBy('strict').length < users * each) await stage.run(SECOND_MS);
  return stage;
};

/** Forgets what the destination has taken. */
const forgetTaken = (stage: Stage): void => {
  stage.taken.clear();
};

const only =
  (user: string, own: Answer): Answer =>
  (events) =>
    events.flatMap((event) => (messageIdOf(event).includes(`${user}/`) ? own : delivered)([event]));

const replayLane = (stage: Stage) =>
  [...stage.engine.lanes].find(({ identity }) => identity.job !== null);

it('delivers each event of the window once, in order per key, beside the numbers of the live pipeline', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing);
  const [before, live] = [await stage.counts('strict'), stage.takenBy('strict')];
  const keys = new Set(live.map(({ idempotencyKey }) => idempotencyKey));
  forgetTaken(stage);
  changing.now = only('user7', rejected);
  const replay = await stage.replay('strict');
  stage.accept('later', 3);
  await stage.run(5 * SECOND_MS);
  expect(await replay.progress()).toEqual({
    ...{ state: 'Succeeded', events: 100, delivered: 95, rejected: 5 },
  });
  const taken = stage.takenBy('strict');
  const again = taken.filter(({ user }) => !user.endsWith('later'));
  expect(again).toHaveLength(95);
  expect(taken).toHaveLength(98);
  expect(again.some(({ idempotencyKey }) => keys.has(idempotencyKey))).toBe(false);
  expect(new Set(again.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(95);
  expect(stage.disordered('strict')).toEqual([]);
  expect(await stage.counts('strict')).toEqual({ Delivered: before['Delivered']! + 3 });
  expect(await stage.deadLetters('strict')).toEqual({});
  expect(stage.takenBy('other')).toHaveLength(3);
  expect(stage.errors).toEqual([]);
  expect(stage.engine.budget.used).toBe(0);
});

it('leaves out repetitions, what the filters do not match, other sources, and suppressed users', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing, { users: 4, each: 2 });
  stage.repeat('user0', 0);
  stage.accept('user2', 2, 'B');
  stage.accept('user1', 1, 'B', 1);
  await stage.run(5 * SECOND_MS);
  forgetTaken(stage);
  stage.suppress('user2');
  const filter = onlyEvent('A');
  const [source] = ['source0'.padEnd(15, 'x')];
  const replay = await stage.replay('strict', { filter, sources: [source as never] });
  await stage.run(5 * SECOND_MS);
  expect(await replay.progress()).toEqual({
    ...{ state: 'Succeeded', events: 7, delivered: 2 },
    ...{ suppressed: 2, duplicates: 1, filtered: 2 },
  });
  expect(stage.takenBy('strict').map(({ number }) => number)).toEqual([0, 4]);
});

it('sends through the version of the replay', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing, { users: 4, each: 1 });
  stage.changePipeline('strict', { filter: onlyEvent('B') });
  stage.accept('user1', 3, 'B');
  await stage.run(SECOND_MS);
  const second = await stage.replay('strict', { version: 2 });
  await stage.run(5 * SECOND_MS);
  expect(await second.progress()).toMatchObject({ state: 'Succeeded', delivered: 3, filtered: 4 });
  const first = await stage.replay('strict', { version: 1 });
  await stage.run(5 * SECOND_MS);
  expect(await first.progress()).toMatchObject({ state: 'Succeeded', delivered: 7 });
  const unknown = await stage.replay('strict', { version: 9 });
  await stage.run(5 * SECOND_MS);
  expect(await unknown.progress()).toEqual({ state: 'Failed' });
});

it('uses the same idempotency key for every attempt', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing, { users: 1, each: 1 });
  const keys: string[] = [];
  changing.now = (events) => {
    for (const { idempotencyKey } of events) keys.push(idempotencyKey);
    return keys.length < 4 ? unavailable(503)(events) : delivered(events);
  };
  const replay = await stage.replay('strict');
  await stage.run(60 * SECOND_MS);
  expect(await replay.progress()).toMatchObject({ state: 'Succeeded', delivered: 1 });
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
});

it('holds no other key back, and no live delivery, while one key fails', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing, { users: 1_200, each: 2 });
  stage.accept('user7', 900, 'A', 1);
  await stage.run(30 * SECOND_MS);
  forgetTaken(stage);
  changing.now = only('user7', unavailable(503));
  const replay = await stage.replay('strict');
  await stage.run(5 * SECOND_MS);
  stage.accept('live', 1);
  await stage.run(SECOND_MS);
  expect(stage.takenBy('strict').filter(({ user }) => user.endsWith(' live'))).toHaveLength(1);
  await stage.run(40 * SECOND_MS);
  expect(await replay.progress()).toEqual({ state: 'Running', events: 3_300, delivered: 2_398 });
  changing.now = delivered;
  await stage.run(120 * SECOND_MS);
  expect(await replay.progress()).toMatchObject({ state: 'Succeeded', delivered: 3_300 });
  expect(stage.disordered('strict')).toEqual([]);
});

it('parks what cannot be delivered by its age since the replay was created', async () => {
  const changing = new Changing();
  const maxAgeMs = 60 * SECOND_MS;
  const stage = await withEvents(changing, { users: 2, each: 1, maxAgeMs });
  await stage.run(2 * maxAgeMs);
  changing.now = unavailable(503);
  const replay = await stage.replay('strict');
  await stage.run(maxAgeMs - SECOND_MS);
  expect(await replay.progress()).toEqual({ state: 'Running', events: 2 });
  // The pause before the attempt that is the last one may be long.
  await stage.run(BACKOFF_CAP_MS);
  expect(await replay.progress()).toEqual({ state: 'Succeeded', events: 2, parked: 2 });
  expect(await stage.counts('strict')).toEqual({ Delivered: 2 });
  expect(await stage.deadLetters('strict')).toEqual({});
});

it.each([
  ['denies it', 401],
  ['fails as a whole', 503],
])(
  'waits while its destination %s, beside live deliveries, and goes on in order',
  async (_, status) => {
    const changing = new Changing();
    const stage = await withEvents(changing);
    forgetTaken(stage);
    changing.now = unavailable(status);
    const replay = await stage.replay('strict');
    await stage.run(30 * SECOND_MS);
    expect(await replay.progress()).toMatchObject({ state: 'Running' });
    const [live] = stage.engine.lanes.live.filter(({ destination }) =>
      destination.startsWith('strict'),
    );
    expect(live?.health.state).toBe('flowing');
    changing.now = delivered;
    await stage.run(400 * SECOND_MS);
    expect(await replay.progress()).toMatchObject({ state: 'Succeeded', delivered: 100 });
    expect(stage.disordered('strict')).toEqual([]);
  },
);

it('takes a fifth of the rate of the connection, with all of its jobs, and leaves the rest to live deliveries', async () => {
  const changing = new Changing();
  const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1, concurrency: 10 };
  const stage = await withEvents(changing, { users: 100, each: 6, limits });
  await stage.replay('strict');
  await stage.run(SECOND_MS);
  const before = stage.takenBy('strict').length;
  await stage.run(20 * SECOND_MS);
  const replayed = stage.takenBy('strict').length - before;
  expect(replayed).toBeGreaterThanOrEqual(20 * 10 * 0.8);
  expect(replayed).toBeLessThanOrEqual(20 * 10 + 2);
  stage.every(10, 20 * SECOND_MS, () => {
    stage.accept('live');
  });
  const from = stage.takenBy('strict').length;
  await stage.run(20 * SECOND_MS);
  const both = stage.takenBy('strict').slice(from);
  const live = both.filter(({ user }) => user.endsWith(' live')).length;
  expect(both.length).toBeLessThanOrEqual(20 * 50 + 2);
  expect(live).toBeGreaterThanOrEqual(20 * 50 * 0.75);
});

it('has some hundred events of each partition in memory and in the database while its destination is slow', async () => {
  const changing = new Changing();
  const limits = { maxEvents: 1, concurrency: 1 };
  const stage = await withEvents(changing, { users: 300, each: 12, limits });
  stage.tookMs = 1_000;
  await stage.replay('strict');
  await stage.run(60 * SECOND_MS);
  const open = await stage.openReplayed();
  expect(open).toBeGreaterThan(400);
  expect(open).toBeLessThanOrEqual(3 * 500);
});

it('probes with what it has to read yet when its lane was blocked by another router', async () => {
  const changing = new Changing();
  const stage = await withEvents(changing);
  changing.now = unavailable(401);
  stage.changePipeline('strict', { enabled: false });
  const replay = await stage.replay('strict');
  await stage.run(2 * SECOND_MS);
  replayLane(stage)!.health.pause();
  stage.changePipeline('strict', { enabled: true });
  changing.now = delivered;
  await stage.run(400 * SECOND_MS);
  expect(await replay.progress()).toMatchObject({ state: 'Succeeded', delivered: 100 });
});

describe('the pipeline of a replay', () => {
  it('lets it wait while it is disabled', async () => {
    const changing = new Changing();
    const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1 };
    const stage = await withEvents(changing, { limits });
    forgetTaken(stage);
    const replay = await stage.replay('strict');
    await stage.run(3 * SECOND_MS);
    stage.changePipeline('strict', { enabled: false });
    await stage.run(2 * SECOND_MS);
    const sent = stage.takenBy('strict').length;
    expect(sent).toBeGreaterThan(10);
    await stage.run(60 * SECOND_MS);
    expect(stage.takenBy('strict')).toHaveLength(sent);
    expect(await replay.progress()).toMatchObject({ state: 'Running', delivered: sent });
    stage.changePipeline('strict', { enabled: true });
    await stage.run(20 * SECOND_MS);
    expect(await replay.progress()).toMatchObject({ state: 'Succeeded', delivered: 100 });
    expect(stage.disordered('strict')).toEqual([]);
  });

  it('cancels it when it is deleted', async () => {
    const changing = new Changing();
    const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1 };
    const stage = await withEvents(changing, { limits });
    const replay = await stage.replay('strict');
    await stage.run(3 * SECOND_MS);
    stage.changePipeline('strict', { deleted: true });
    await stage.run(3 * SECOND_MS);
    const sent = stage.takenBy('strict').length;
    const progress = await replay.progress();
    expect(progress).toMatchObject({ state: 'Cancelled', events: 100, delivered: sent - 100 });
    const { parked = 0, left = 0 } = progress as Record<string, number>;
    expect(sent - 100 + parked + left).toBe(100);
    await stage.run(10 * SECOND_MS);
    expect(stage.takenBy('strict')).toHaveLength(sent);
    expect(stage.engine.budget.used).toBe(0);
  });
});

describe('a cancelled replay', () => {
  it('ends within two seconds, and the pipeline can be replayed again', async () => {
    const changing = new Changing();
    const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1 };
    const stage = await withEvents(changing, { limits });
    forgetTaken(stage);
    const replay = await stage.replay('strict');
    await stage.run(5 * SECOND_MS);
    await expect(stage.replay('strict')).rejects.toThrow('one is running');
    await replay.cancel();
    await stage.run(2 * SECOND_MS);
    const sent = stage.takenBy('strict').length;
    expect(sent).toBeGreaterThan(10);
    expect(sent).toBeLessThan(100);
    expect(await replay.progress()).toEqual({
      ...{ state: 'Cancelled', events: 100, delivered: sent, left: 100 - sent },
    });
    await stage.run(10 * SECOND_MS);
    expect(stage.takenBy('strict')).toHaveLength(sent);
    expect(replayLane(stage)).toBeUndefined();
    expect(stage.engine.budget.used).toBe(0);
    const again = await stage.replay('strict');
    await stage.run(20 * SECOND_MS);
    expect(await again.progress()).toMatchObject({ state: 'Succeeded', delivered: 100 });
  });

  it('waits for requests that are under way, and counts them', async () => {
    const changing = new Changing();
    const stage = await withEvents(changing, { users: 1, each: 3, limits: { maxEvents: 1 } });
    // Not at a time at which routers look for replays.
    stage.tookMs = 4_750;
    const replay = await stage.replay('strict');
    await stage.run(SECOND_MS);
    await replay.cancel();
    await stage.run(3 * SECOND_MS);
    expect(await replay.progress()).toEqual({ state: 'Cancelling', events: 3 });
    await stage.run(4 * SECOND_MS);
    expect(await replay.progress()).toEqual({
      ...{ state: 'Cancelled', events: 3, delivered: 1, left: 2 },
    });
  });

  it.each([
    ['denied', 401],
    ['failing', 503],
  ])('ends while its destination is %s', async (_, status) => {
    const changing = new Changing();
    const stage = await withEvents(changing);
    changing.now = unavailable(status);
    const replay = await stage.replay('strict');
    await stage.run(20 * SECOND_MS);
    await replay.cancel();
    await stage.run(2 * SECOND_MS);
    expect(await replay.progress()).toEqual({ state: 'Cancelled', events: 100, left: 100 });
    expect(stage.engine.budget.used).toBe(0);
  });
});

it('is read in turn with others when more run than are read at a time', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const stage = new Stage({ destinations: names.map((name) => ({ name })), partitions: 2 });
  stage.start();
  for (let user = 0; user < 50; user += 1) stage.accept(`user${user}`, 60);
  await stage.run(20 * SECOND_MS);
  const replays = await Promise.all(names.map((name) => stage.replay(name)));
  await stage.run(120 * SECOND_MS);
  for (const replay of replays)
    expect(await replay.progress()).toEqual({
      ...{ state: 'Succeeded', events: 3_000, delivered: 3_000 },
    });
});
