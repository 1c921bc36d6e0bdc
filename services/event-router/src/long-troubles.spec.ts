import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import { delivered, messageIdOf, Stage, unavailable } from './testing/stage/stage.fixture';

const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';
jest.setTimeout(1_200_000);

const SECOND_MS = 1_000;
/** Number of events that wait for a paused destination. */
const MANY = IS_LONG ? 1_000_000 : 6_000;
/** Lanes that are detached at the same time, each a moment after the other within ten seconds. */
const DETACHED = IS_LONG ? 500 : 200;
const PASSING_MS = (10 * SECOND_MS) / DETACHED;
/** Lanes that get an event at a time. */
const AT_ONCE = DETACHED / 50;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const REFUSED = () => [{ kind: 'rejected', reason: 'never', status: 400 }] as const;

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** How long a destination is down, and the age until which its events are tried. */
const AWAY_MS = (IS_LONG ? 30 : 5) * HOUR_MS;
const MAX_AGE_MS = (IS_LONG ? 24 : 4) * HOUR_MS;

it('delivers events below the maximum age in order after a destination was down for longer', async () => {
  const stage = new Stage({
    destinations: [
      {
        name: 'away',
        maxAgeMs: MAX_AGE_MS,
        answer: (events, nowMs) => (nowMs < AWAY_MS ? unavailable(503)(events) : delivered(events)),
      },
      { name: 'healthy' },
      { name: 'refusing', limits: { maxEvents: 1 }, answer: REFUSED },
    ],
    options: { budgetBytes: 4 * MIB },
  });
  stage.start();
  let mostBytes = 0;
  stage.every(30 * SECOND_MS, AWAY_MS, (at) => {
    stage.accept(`user${at % 7}`, 1, 'A', at % 2);
    mostBytes = Math.max(mostBytes, stage.engine.budget.used);
  });
  await stage.run(AWAY_MS + HOUR_MS);
  const count = stage.accepted;
  const counts = await stage.counts('away');
  expect(stage.takenBy('healthy')).toHaveLength(count);
  expect(await stage.counts('refusing')).toMatchObject({ 'Rejected 400': count });
  expect(stage.disordered('away')).toEqual([]);
  const tooOld = (AWAY_MS - MAX_AGE_MS) / (30 * SECOND_MS);
  const { Delivered = 0, 'Parked RetryBudgetSpent': parked = 0, ...rest } = counts;
  expect(rest).toEqual({});
  expect(Delivered + parked).toBe(count);
  expect(parked).toBeGreaterThanOrEqual(tooOld);
  expect(parked).toBeLessThan(tooOld + 20);
  expect(mostBytes).toBeLessThan(MIB);
});

it('holds no more memory for a paused destination with many events than with few', async () => {
  const mostBytesOf = async (count: number): Promise<number> => {
    let isDenied = true;
    const stage = new Stage({
      destinations: [
        {
          name: 'paused',
          answer: (events) => (isDenied ? unavailable(401) : delivered)(events),
        },
        { name: 'healthy' },
        { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
      ],
    });
    stage.start();
    let mostBytes = 0;
    // Slower than the live reader of the stage, which reads 3,600 events per second.
    const sendingMs = (40 * count) / 100;
    stage.every(40, sendingMs, (at) => {
      stage.accept(`user${at % 1_000}`, 50, 'A', 0);
      stage.accept(`user${at % 1_000}`, 50, 'A', 1);
      mostBytes = Math.max(mostBytes, stage.engine.budget.used);
    });
    await stage.run(sendingMs + 5 * SECOND_MS);
    expect(stage.takenBy('healthy')).toHaveLength(count);
    expect(stage.takenBy('paused')).toHaveLength(0);
    isDenied = false;
    await stage.run(20 * 60 * SECOND_MS);
    expect(stage.takenBy('paused')).toHaveLength(count);
    expect(stage.disordered('paused')).toEqual([]);
    expect(stage.behind).toEqual(new Set());
    return mostBytes;
  };
  const few = await mostBytesOf(1_000);
  expect(await mostBytesOf(MANY)).toBeLessThan(few + 8 * MIB);
});

/** Allowed excess over the budget: records read when it was full, and the rows of one request. */
const MARGIN_BYTES = MIB;

it('keeps to its budget while 200 destinations hang', async () => {
  const hanging = range(200).map((at) => ({ name: `hangs${at}`, tookMs: 30 * SECOND_MS }));
  const budgetBytes = 5 * MIB;
  const stage = new Stage({
    destinations: [
      ...hanging.map((each) => ({ ...each, answer: unavailable(504) })),
      { name: 'healthy' },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
    ],
    eventBytes: 10_000,
    options: { budgetBytes },
  });
  stage.start();
  let mostBytes = 0;
  stage.every(100, 60 * SECOND_MS, (at) => {
    stage.accept(`user${at % 50}`, 2, 'A', at % 2);
    mostBytes = Math.max(mostBytes, stage.engine.budget.used);
  });
  await stage.run(90 * SECOND_MS);
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
  expect(mostBytes).toBeLessThan(budgetBytes + MARGIN_BYTES);
});

/** Rows of 30,000 bytes each: many times what the budget holds. */
const ROWS = IS_LONG ? 4_000 : 1_000;

it(`keeps to its budget while ${String(ROWS)} large rows are sent`, async () => {
  let isWell = false;
  const budgetBytes = IS_LONG ? 10 * MIB : 3 * MIB;
  const stage = new Stage({
    destinations: [
      {
        name: 'choosy',
        answer: (events) =>
          events.map((event) =>
            isWell || messageIdOf(event).includes('/0')
              ? { kind: 'delivered' }
              : { kind: 'unavailable', reason: 'not now', status: 503 },
          ),
      },
      { name: 'healthy' },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
    ],
    eventBytes: 30_000,
    options: { budgetBytes, backoffCapMs: 5 * SECOND_MS },
  });
  stage.start();
  let mostBytes = 0;
  stage.every(100, 120 * SECOND_MS, (at) => {
    if (at < ROWS / 20) stage.accept(`user${at % 8}`, 20, 'A', at % 2);
    mostBytes = Math.max(mostBytes, stage.engine.budget.used);
  });
  await stage.run(60 * SECOND_MS);
  isWell = true;
  await stage.run(60 * SECOND_MS);
  expect(stage.takenBy('healthy')).toHaveLength(ROWS);
  expect(stage.takenBy('choosy')).toHaveLength(ROWS);
  expect(stage.disordered('choosy')).toEqual([]);
  expect(mostBytes).toBeLessThan(budgetBytes + MARGIN_BYTES);
});

it('does not detach attached lanes to free memory for a paused one that cannot be given anything', async () => {
  const budgetBytes = 960_000;
  const stage = new Stage({
    destinations: [
      { name: 'paused', answer: unavailable(401) },
      // It is attached and takes three quarters of the budget for a minute.
      { name: 'slow', limits: { maxEvents: 1, concurrency: 1 }, tookMs: 60 * SECOND_MS },
      { name: 'healthy' },
    ],
    eventBytes: 10_000,
    options: { budgetBytes, lingerMs: 0 },
  });
  stage.start();
  stage.every(20, 56 * 20, (at) => {
    stage.accept(`user${at % 10}`, 1, 'A', at % 2);
  });
  await stage.run(2 * SECOND_MS);
  expect(stage.engine.budget.used).toBeGreaterThan(0.7 * budgetBytes);
  expect(stage.behind).toEqual(new Set(['paused']));
  await stage.run(10 * SECOND_MS);
  expect(stage.behind).toEqual(new Set(['paused']));
  expect(stage.takenBy('healthy')).toHaveLength(56);
});

it(`leaves none of ${String(DETACHED)} detached lanes unserved for more than 5 seconds`, async () => {
  const names = range(DETACHED).map((at) => `lane${at}`);
  let isWell = false;
  const stage = new Stage({
    destinations: names.map((name, at) => ({
      name,
      only: name,
      answer: (events, nowMs) =>
        isWell || nowMs < PASSING_MS * at ? delivered(events) : unavailable(401)(events),
    })),
    // Small slices and frequent probes: the lanes recover at about the same time, at different places in the log.
    options: { sliceBytes: 32 * 1024, pauseProbeMs: 2 * SECOND_MS },
  });
  stage.start();
  stage.every(20, 20 * SECOND_MS, (at) => {
    for (const each of range(AT_ONCE))
      stage.accept(`user${each}`, 1, names[(at * AT_ONCE + each) % DETACHED]);
  });
  await stage.run(20 * SECOND_MS);
  expect(stage.behind.size).toBeGreaterThan(0.9 * DETACHED);
  isWell = true;
  const healedMs = stage.simulation.nowMs;
  stage.every(20, 10 * SECOND_MS, (at) => {
    for (const each of range(AT_ONCE))
      stage.accept(`user${each}`, 1, names[(at * AT_ONCE + each) % DETACHED]);
  });
  await stage.run(15 * SECOND_MS);
  expect(stage.behind).toEqual(new Set());
  const counts = names.map((name) => stage.takenBy(name).length);
  expect(counts).toEqual(names.map(() => stage.accepted / DETACHED));
  const slowest = names.map((name) => {
    const times = stage.takenBy(name).map(({ atMs }) => Math.max(atMs, healedMs));
    const ownGaps = times.map((atMs, at) => atMs - (times[at - 1] ?? healedMs));
    return Math.max(...ownGaps);
  });
  // A probe finds after at most 2 s that a lane has recovered; from then on each lane is served every 5 s.
  expect(Math.max(...slowest)).toBeLessThan(7 * SECOND_MS);
});

/** How long a destination is away; and when it has caught up, with a twentieth of its capacity. */
const GONE_MS = (IS_LONG ? 10 : 3) * SECOND_MS;
const CAUGHT_UP_MS = (IS_LONG ? 320 : 130) * SECOND_MS;

it('catches up while events arrive at 95 % of the destination’s capacity', async () => {
  const stage = new Stage({
    destinations: [
      {
        name: 'tight',
        limits: { maxEvents: 10, concurrency: 2, ratePerSecond: 20 },
        answer: (events, nowMs) => (nowMs < GONE_MS ? unavailable(503)(events) : delivered(events)),
      },
      { name: 'healthy' },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
    ],
    options: { backoffCapMs: 2 * SECOND_MS },
  });
  stage.start();
  // 190 events per second; twenty requests of ten events could take 200.
  stage.every(100, CAUGHT_UP_MS + 10 * SECOND_MS, (at) => {
    for (const each of range(19)) stage.accept(`user${(at * 19 + each) % 500}`, 1, 'A', at % 2);
  });
  await stage.run(CAUGHT_UP_MS);
  expect(stage.behind).toEqual(new Set());
  const newest = stage.takenBy('tight').at(-1);
  await stage.run(20 * SECOND_MS);
  expect(stage.takenBy('tight')).toHaveLength(stage.accepted);
  expect(stage.disordered('tight')).toEqual([]);
  expect(newest?.atMs).toBeGreaterThan(CAUGHT_UP_MS - SECOND_MS);
});

it('never detaches slow lanes within their share, and continues reading for all others', async () => {
  const slow = range(20).map((at) => `slow${at}`);
  const stage = new Stage({
    destinations: [
      ...slow.map((name) => ({ name, only: name, limits: { maxEvents: 1 }, tookMs: 2_000 })),
      { name: 'steady', only: 'steady', limits: { maxEvents: 10, concurrency: 4 }, tookMs: 2_000 },
      { name: 'healthy' },
    ],
  });
  stage.start();
  const detached = new Set<string>();
  stage.every(100, 300 * SECOND_MS, (at) => {
    stage.accept(`user${at % 50}`, 2, 'steady', at % 2);
    stage.accept(`user${at % 50}`, 1, slow[at % 20], at % 2);
    for (const name of stage.behind) detached.add(name);
  });
  await stage.run(310 * SECOND_MS);
  expect(detached).toEqual(new Set());
  expect(stage.takenBy('steady')).toHaveLength(6_000);
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
  for (const name of slow) expect(stage.takenBy(name)).toHaveLength(150);
});

it('never detaches a lane whose requests hold many events and take seconds', async () => {
  const limits = { maxEvents: 500, concurrency: 2 };
  const stage = new Stage({
    destinations: [
      { name: 'bulk', limits, tookMs: 4 * SECOND_MS },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
      { name: 'healthy' },
    ],
  });
  stage.start();
  const detached = new Set<string>();
  stage.every(10, 40 * SECOND_MS, (at) => {
    stage.accept(`user${at % 50}`, 2, 'A', at % 2);
    for (const name of stage.behind) detached.add(name);
  });
  await stage.run(60 * SECOND_MS);
  expect(detached).toEqual(new Set());
  expect(stage.takenBy('bulk')).toHaveLength(stage.accepted);
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
});

it('keeps few deliveries in memory for lanes without progress', async () => {
  const hangsMs = 60 * SECOND_MS;
  const answer = (events: readonly OutgoingEvent[], nowMs: number): readonly Outcome[] =>
    (nowMs < hangsMs ? unavailable(504) : delivered)(events);
  const stuck = range(3).map((at) => `stuck${at}`);
  const limits = { maxEvents: 10, concurrency: 4 };
  const stage = new Stage({
    destinations: [
      ...stuck.map((name) => ({ name, limits, tookMs: 25 * SECOND_MS, answer })),
      { name: 'slow', limits, tookMs: 3 * SECOND_MS, only: 'Rare' },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
      { name: 'healthy' },
    ],
  });
  stage.start();
  const most = new Map<string, number>();
  stage.every(10, 20 * SECOND_MS, (at) => {
    stage.accept(`user${at % 50}`, 1, at % 20 === 0 ? 'Rare' : 'A', at % 2);
    if (stage.simulation.nowMs < 12 * SECOND_MS) return;
    for (const [name, length] of stage.lengths)
      most.set(name, Math.max(most.get(name) ?? 0, length));
  });
  await stage.run(20 * SECOND_MS);
  for (const name of stuck) expect(most.get(name)).toBeLessThan(250);
  expect(stage.behind).toEqual(new Set(stuck));
  await stage.run(30 * 60 * SECOND_MS);
  expect(stage.behind).toEqual(new Set());
  for (const name of [...stuck, 'healthy'])
    expect(stage.takenBy(name)).toHaveLength(stage.accepted);
  for (const name of stuck) expect(stage.disordered(name)).toEqual([]);
  expect(stage.takenBy('slow')).toHaveLength(stage.accepted / 20);
});

it('stores nothing while a destination demands waits with Retry-After', async () => {
  const asksMs = 8 * SECOND_MS;
  const throttled = {
    kind: 'unavailable',
    reason: 'later',
    status: 429,
    retryAfterMs: 1_000,
  } as const;
  const stage = new Stage({
    destinations: [
      {
        name: 'asking',
        answer: (events, nowMs) =>
          nowMs < asksMs ? events.map(() => throttled) : delivered(events),
      },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
      { name: 'healthy' },
    ],
  });
  stage.start();
  stage.every(10, asksMs, (at) => {
    stage.accept(`user${at % 50}`, 1, 'A', at % 2);
  });
  await stage.run(asksMs);
  expect(await stage.rows('asking')).toBe(0);
  expect(await stage.rows('refusing')).toBeGreaterThan(0);
  await stage.run(10 * 60 * SECOND_MS);
  expect(stage.takenBy('asking')).toHaveLength(stage.accepted);
  expect(stage.disordered('asking')).toEqual([]);
});

it('continues beside a failing key of 30,000 events, and rejects an event that alone is denied', async () => {
  const stage = new Stage({
    destinations: [
      {
        name: 'choosy',
        answer: (events) =>
          events.map((event) =>
            messageIdOf(event).includes('dead')
              ? { kind: 'unavailable', reason: 'not now', status: 503 }
              : { kind: 'delivered' },
          ),
      },
      {
        name: 'strict',
        limits: { maxEvents: 1 },
        answer: (events) =>
          events.map((event) =>
            messageIdOf(event).includes('forbidden')
              ? { kind: 'unavailable', reason: 'not this one', status: 403 }
              : { kind: 'delivered' },
          ),
      },
      { name: 'healthy' },
    ],
  });
  stage.start();
  stage.every(100, 60 * SECOND_MS, (at) => {
    stage.accept('dead', 50);
    stage.accept(`user${at % 20}`, 2, 'A', at % 2);
    if (at === 50) stage.accept('forbidden');
  });
  // The strict one takes 200 events of one key per second, and cannot attach before it has all 30,000.
  await stage.run(160 * SECOND_MS);
  const others = stage.accepted - 30_000;
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
  expect(stage.takenBy('choosy')).toHaveLength(others);
  expect(stage.behind).toEqual(new Set());
  await stage.run(320 * SECOND_MS);
  expect(stage.takenBy('strict')).toHaveLength(stage.accepted - 1);
  expect(await stage.counts('strict')).toMatchObject({ 'Rejected 403': 1 });
});

it('tries a backlog that is older than the maximum age because no router ran', async () => {
  const stage = new Stage({
    destinations: [
      { name: 'first', maxAgeMs: HOUR_MS },
      { name: 'second', maxAgeMs: HOUR_MS, limits: { ratePerSecond: 1, maxEvents: 1 } },
      { name: 'refusing', answer: (events) => events.flatMap(REFUSED) },
    ],
  });
  stage.accept('user1', 100);
  stage.accept('user2', 100, 'A', 1);
  await stage.run(2 * HOUR_MS);
  stage.start();
  await stage.run(HOUR_MS);
  expect(await stage.counts('first')).toEqual({ Delivered: 200 });
  expect(await stage.counts('second')).toEqual({ Delivered: 200 });
  expect(await stage.counts('refusing')).toEqual({ 'Rejected 400': 200 });
});
