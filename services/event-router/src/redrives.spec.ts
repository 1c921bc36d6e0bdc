import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import { delivered, messageIdOf, Stage, unavailable } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;
const BACKOFF_CAP_MS = 300 * SECOND_MS;

const rejected = (events: readonly OutgoingEvent[]): readonly Outcome[] =>
  events.map(() => ({ kind: 'rejected', reason: 'never', status: 400 }));

/** A destination that answers all events in a way that the test changes. */
class Changing {
  now: (events: readonly OutgoingEvent[]) => readonly Outcome[] = rejected;
  readonly answer = (events: readonly OutgoingEvent[]): readonly Outcome[] => this.now(events);
}

/** A stage with dead letters: `each` of `users` users; another destination takes the events. */
const withDeadLetters = async (
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
  await stage.run(10 * SECOND_MS);
  while ((await stage.rows('strict')) < users * each) await stage.run(SECOND_MS);
  return stage;
};

const only =
  (user: string, own: typeof rejected) =>
  (events: readonly OutgoingEvent[]): readonly Outcome[] =>
    events.flatMap((event) => (messageIdOf(event).includes(`${user}/`) ? own : delivered)([event]));

it('delivers the chosen dead letters, in order per key, and counts each once', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing);
  expect(await stage.counts('strict')).toMatchObject({ 'Rejected 400': 100 });
  changing.now = only('user7', rejected);
  const redrive = await stage.redrive('strict');
  await stage.run(5 * SECOND_MS);
  expect(await redrive.progress()).toEqual({
    state: 'Succeeded',
    Chosen: 100,
    Delivered: 95,
    Rejected: 5,
  });
  expect(await stage.counts('strict')).toEqual({ Delivered: 95, 'Rejected 400': 5 });
  expect(await stage.deadLetters('strict')).toEqual({ 'Rejected 400': 5 });
  expect(stage.takenBy('strict')).toHaveLength(95);
  expect(stage.disordered('strict')).toEqual([]);
  expect(stage.errors).toEqual([]);
});

it('holds no other key back, and no live delivery, while one key fails', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing, { users: 1_200, each: 2 });
  changing.now = only('user7', unavailable(503));
  const redrive = await stage.redrive('strict');
  await stage.run(5 * SECOND_MS);
  stage.accept('live', 1);
  await stage.run(SECOND_MS);
  expect(stage.takenBy('strict').filter(({ user }) => user.endsWith(' live'))).toHaveLength(1);
  await stage.run(20 * SECOND_MS);
  expect(await redrive.progress()).toEqual({ state: 'Running', Chosen: 2_400, Delivered: 2_398 });
  changing.now = delivered;
  await stage.run(60 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 2_400 });
  expect(stage.disordered('strict')).toEqual([]);
});

it('parks what cannot be delivered by its age since the redrive was created', async () => {
  const changing = new Changing();
  const maxAgeMs = 60 * SECOND_MS;
  const stage = await withDeadLetters(changing, { users: 2, each: 1, maxAgeMs });
  await stage.run(2 * maxAgeMs);
  changing.now = unavailable(503);
  const redrive = await stage.redrive('strict');
  await stage.run(maxAgeMs - SECOND_MS);
  expect(await redrive.progress()).toEqual({ state: 'Running', Chosen: 2 });
  expect(await stage.deadLetters('strict')).toEqual({ 'Rejected 400': 2 });
  // The pause before the attempt that is the last one may be long.
  await stage.run(BACKOFF_CAP_MS);
  expect(await redrive.progress()).toEqual({ state: 'Succeeded', Chosen: 2, Parked: 2 });
  expect(await stage.deadLetters('strict')).toEqual({ 'Parked RetryBudgetSpent': 2 });
  expect(await stage.counts('strict')).toEqual({ 'Parked RetryBudgetSpent': 2 });
});

it('waits while the destination denies it, beside live deliveries that are not paused', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing);
  changing.now = unavailable(401);
  const redrive = await stage.redrive('strict');
  await stage.run(10 * SECOND_MS);
  expect(await redrive.progress()).toEqual({ state: 'Running', Chosen: 100 });
  const [live] = stage.engine.lanes.live.filter(({ destination }) =>
    destination.startsWith('strict'),
  );
  expect(live?.health.state).toBe('flowing');
  changing.now = delivered;
  await stage.run(400 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 100 });
});

it('goes on when a destination that failed as a whole works again, in order', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing);
  changing.now = unavailable(503);
  const redrive = await stage.redrive('strict');
  await stage.run(60 * SECOND_MS);
  expect(await redrive.progress()).toEqual({ state: 'Running', Chosen: 100 });
  changing.now = delivered;
  await stage.run(400 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 100 });
  expect(stage.disordered('strict')).toEqual([]);
  expect(stage.engine.catchUp.parts.size).toBe(0);
});

it('takes a fifth of the rate of the connection, all redrives together, and leaves the rest to live deliveries', async () => {
  const changing = new Changing();
  const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1, concurrency: 10 };
  const stage = await withDeadLetters(changing, { users: 100, each: 6, limits });
  changing.now = delivered;
  await stage.redrive('strict', { deliveries: await stage.placesOf('strict', 0) });
  await stage.redrive('strict', { deliveries: await stage.placesOf('strict', 1) });
  await stage.run(SECOND_MS);
  const before = stage.takenBy('strict').length;
  await stage.run(20 * SECOND_MS);
  const redriven = stage.takenBy('strict').length - before;
  expect(redriven).toBeGreaterThanOrEqual(20 * 10 * 0.8);
  expect(redriven).toBeLessThanOrEqual(20 * 10 + 2);
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

it('sends one request at a time where a fifth of the concurrency is less', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing, { limits: { maxEvents: 1, concurrency: 4 } });
  let [running, most] = [0, 0];
  changing.now = (events) => {
    most = Math.max(most, running);
    return delivered(events);
  };
  const redrive = await stage.redrive('strict');
  const lane = () => [...stage.engine.lanes].find(({ identity }) => identity.job !== null);
  stage.every(1, 3 * SECOND_MS, () => {
    running = lane()?.share.requests ?? 0;
  });
  await stage.run(3 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded' });
  expect(most).toBe(1);
});

describe('a cancelled redrive', () => {
  it('ends within two seconds, and leaves what it has not sent as it was', async () => {
    const changing = new Changing();
    const limits = { maxEvents: 1, ratePerSecond: 50, burst: 1 };
    const stage = await withDeadLetters(changing, { limits });
    changing.now = delivered;
    const redrive = await stage.redrive('strict');
    await stage.run(5 * SECOND_MS);
    await redrive.cancel();
    await stage.run(2 * SECOND_MS);
    const progress = await redrive.progress();
    const sent = stage.takenBy('strict').length;
    expect(sent).toBeGreaterThan(10);
    expect(sent).toBeLessThan(100);
    expect(progress).toEqual({ state: 'Cancelled', Chosen: 100, Delivered: sent });
    await stage.run(10 * SECOND_MS);
    expect(stage.takenBy('strict')).toHaveLength(sent);
    expect(await stage.deadLetters('strict')).toEqual({ 'Rejected 400': 100 - sent });
    expect(await stage.counts('strict')).toEqual({ Delivered: sent, 'Rejected 400': 100 - sent });
    const again = await stage.redrive('strict');
    await stage.run(20 * SECOND_MS);
    expect(await again.progress()).toMatchObject({ state: 'Succeeded', Chosen: 100 - sent });
    expect(stage.takenBy('strict')).toHaveLength(100);
    expect(stage.engine.budget.used).toBe(0);
    expect([...stage.engine.lanes].filter(({ identity }) => identity.job !== null)).toEqual([]);
  });

  it('waits for requests that are under way, and counts them', async () => {
    const changing = new Changing();
    const stage = await withDeadLetters(changing, { users: 1, each: 3, limits: { maxEvents: 1 } });
    changing.now = delivered;
    // Not at a time at which routers look for redrives.
    stage.tookMs = 4_750;
    const redrive = await stage.redrive('strict');
    await stage.run(SECOND_MS);
    await redrive.cancel();
    await stage.run(3 * SECOND_MS);
    expect(await redrive.progress()).toEqual({ state: 'Cancelling', Chosen: 3 });
    await stage.run(4 * SECOND_MS);
    expect(await redrive.progress()).toEqual({ state: 'Cancelled', Chosen: 3, Delivered: 1 });
    await stage.run(20 * SECOND_MS);
    expect(stage.takenBy('strict')).toHaveLength(1);
  });

  it.each([
    ['denied', 401],
    ['failing', 503],
  ])('ends while its destination is %s', async (_, status) => {
    const changing = new Changing();
    const stage = await withDeadLetters(changing);
    changing.now = unavailable(status);
    const redrive = await stage.redrive('strict');
    await stage.run(20 * SECOND_MS);
    await redrive.cancel();
    await stage.run(2 * SECOND_MS);
    expect(await redrive.progress()).toEqual({ state: 'Cancelled', Chosen: 100 });
    expect(await stage.deadLetters('strict')).toEqual({ 'Rejected 400': 100 });
    expect(stage.engine.budget.used).toBe(0);
  });
});

it('has at most some hundred keys of each partition in memory', async () => {
  const changing = new Changing();
  const stage = await withDeadLetters(changing, { users: 2_500, each: 1 });
  changing.now = unavailable(503);
  await stage.redrive('strict');
  await stage.run(5 * SECOND_MS);
  const lane = [...stage.engine.lanes].find(({ identity }) => identity.job !== null);
  expect(lane?.parts.keyCount).toBe(3 * 500);
});
