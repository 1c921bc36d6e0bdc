import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import {
  delivered,
  messageIdOf,
  Stage,
  type StagedDestination,
  unavailable,
} from './testing/stage/stage.fixture';

jest.setTimeout(300_000);

const SECOND_MS = 1_000;
const MIB = 1024 * 1024;
const BUDGET_BYTES = 5 * MIB;
/** Of which there are a thousand, twice as many as fit into memory. */
const EVENT_BYTES = 10_000;
/** What may be in memory beyond the budget: what the live reader has read when it was full. */
const MARGIN_BYTES = MIB / 2;

const rejected = (events: readonly OutgoingEvent[]): readonly Outcome[] =>
  events.map(() => ({ kind: 'rejected', reason: 'never', status: 400 }));

type Answer = (events: readonly OutgoingEvent[]) => readonly Outcome[];

/** Answers the events of some users in a way of their own. */
const exceptOf =
  (isOne: (user: number) => boolean, own: Answer, others: Answer): Answer =>
  (events) =>
    events.flatMap((event) => {
      const user = /user(\d+)/.exec(messageIdOf(event))?.[1];
      return (user !== undefined && isOne(Number(user)) ? own : others)([event]);
    });

/** A stage on which a destination has a row of each of 1,000 users in two sources, too large to be all in memory. */
class StageWithRows {
  readonly stage: Stage;
  mostBytes = 0;
  answer: Answer;
  tookMs = 5;
  /** How long events of the live users have taken to the destination that is well. */
  private readonly acceptedMs = new Map<number, number>();

  constructor(
    answer: Answer,
    strict: Partial<StagedDestination> = {},
    readonly budgetBytes = BUDGET_BYTES,
  ) {
    this.answer = answer;
    const own = (): number => this.tookMs;
    this.stage = new Stage({
      destinations: [
        {
          name: 'strict',
          limits: { maxEvents: 1, concurrency: 10 },
          get tookMs() {
            return own();
          },
          answer: (events) => this.answer(events),
          ...strict,
        },
        { name: 'healthy' },
        { name: 'refusing', answer: rejected },
      ],
      eventBytes: EVENT_BYTES,
      options: { budgetBytes },
    });
  }

  /** Accepts an event of each of so many users, at this rate, and waits for rows of so many. */
  async fill(users: number, perSecond: number, atLeast = users): Promise<void> {
    const { stage } = this;
    stage.start();
    const forMs = (users / perSecond) * SECOND_MS;
    stage.every(SECOND_MS / perSecond, forMs, (at) => {
      stage.accept(`user${at}`, 1, 'A', at % 2);
    });
    await stage.run(forMs + 10 * SECOND_MS);
    expect(await stage.rows('strict')).toBeGreaterThanOrEqual(atLeast);
    stage.every(50, Infinity, () => {
      this.mostBytes = Math.max(this.mostBytes, stage.engine.budget.used);
    });
  }

  /** Accepts an event a second of other users. */
  live(forMs: number): void {
    this.stage.every(SECOND_MS, forMs, (at) => {
      this.acceptedMs.set(this.stage.accepted, this.stage.simulation.nowMs);
      this.stage.accept(`live${at % 7}`, 1, 'A', at % 2);
    });
  }

  /** The longest time that an event of {@link live} took to the destination that is well. */
  longestMs(): number {
    const took = this.stage.takenBy('healthy').flatMap(({ number, atMs }) => {
      const acceptedMs = this.acceptedMs.get(number);
      return acceptedMs === undefined ? [] : [atMs - acceptedMs];
    });
    expect(took).toHaveLength(this.acceptedMs.size);
    return Math.max(...took);
  }
}

it('holds no live delivery up while many large dead letters are redriven slowly', async () => {
  const limits = { maxEvents: 1, concurrency: 10, ratePerSecond: 50 };
  const rows = new StageWithRows(rejected, { limits });
  const { stage } = rows;
  await rows.fill(1_000, 100);
  rows.answer = delivered;
  const redrive = await stage.redrive('strict');
  rows.live(60 * SECOND_MS);
  await stage.run(65 * SECOND_MS);
  expect(rows.longestMs()).toBeLessThan(SECOND_MS);
  expect(rows.mostBytes).toBeLessThan(BUDGET_BYTES + MARGIN_BYTES);
  await stage.run(60 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 1_000 });
  expect(stage.disordered('strict')).toEqual([]);
});

it('holds no other delivery up while many large rows are due at a slow destination', async () => {
  const rows = new StageWithRows(
    exceptOf(() => true, unavailable(503), delivered),
    {},
    300 * EVENT_BYTES,
  );
  const { stage } = rows;
  // Requests succeed between those that fail: the circuit stays closed, and rows are written.
  stage.every(40, 60 * SECOND_MS, (at) => {
    for (let n = 0; n < 4; n += 1) stage.accept(`good${n}`, 1, 'A', at % 2);
  });
  await rows.fill(300, 8, 150);
  rows.answer = delivered;
  rows.tookMs = 20 * SECOND_MS;
  rows.live(120 * SECOND_MS);
  await stage.run(130 * SECOND_MS);
  expect(rows.longestMs()).toBeLessThan(SECOND_MS);
  expect(rows.mostBytes).toBeLessThan(rows.budgetBytes + MARGIN_BYTES);
  rows.tookMs = 5;
  await stage.run(600 * SECOND_MS);
  expect(await stage.rows('strict')).toBe(0);
  expect(stage.takenBy('strict')).toHaveLength(stage.accepted);
  expect(stage.disordered('strict')).toEqual([]);
});

it('delivers the rows of other keys while a few with many large ones fail for long', async () => {
  const isOne = (user: number): boolean => user < 4;
  const rows = new StageWithRows(rejected);
  const { stage } = rows;
  await rows.fill(1_000, 100);
  for (let user = 0; user < 4; user += 1) stage.accept(`user${user}`, 60);
  await stage.run(20 * SECOND_MS);
  expect(await stage.rows('strict')).toBe(1_240);
  rows.answer = exceptOf(isOne, unavailable(503), delivered);
  const redrive = await stage.redrive('strict');
  await stage.run(60 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Running', Delivered: 996 });
  expect(rows.mostBytes).toBeLessThan(BUDGET_BYTES + MARGIN_BYTES);
  rows.answer = delivered;
  await stage.run(600 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 1_240 });
  expect(stage.disordered('strict')).toEqual([]);
});

it('lets a destination catch up while a slow one catches up with events that do not fit into memory', async () => {
  let isAway = true;
  const stage = new Stage({
    destinations: [
      { name: 'slow', limits: { maxEvents: 1, concurrency: 2 }, tookMs: SECOND_MS },
      { name: 'away', answer: (events) => (isAway ? unavailable(503) : delivered)(events) },
      { name: 'refusing', answer: rejected },
    ],
    eventBytes: EVENT_BYTES,
    options: { budgetBytes: BUDGET_BYTES },
  });
  stage.start();
  let mostBytes = 0;
  stage.every(50, Infinity, () => {
    mostBytes = Math.max(mostBytes, stage.engine.budget.used);
  });
  stage.every(20, 40 * SECOND_MS, (at) => {
    stage.accept(`user${at % 500}`, 1, 'A', at % 2);
  });
  await stage.run(60 * SECOND_MS);
  expect(stage.behind).toEqual(new Set(['slow', 'away']));
  isAway = false;
  // The next probe is at most five minutes away.
  await stage.run(320 * SECOND_MS);
  expect(stage.takenBy('away')).toHaveLength(2_000);
  expect(stage.behind).toEqual(new Set(['slow']));
  expect(mostBytes).toBeLessThan(BUDGET_BYTES + MARGIN_BYTES);
});

it('lets readers go on when what filled the memory comes back from requests that have failed', async () => {
  const tookMs = 20 * SECOND_MS;
  const stage = new Stage({
    destinations: [
      { name: 'failing', limits: { concurrency: 5 }, tookMs, answer: unavailable(503) },
      { name: 'healthy' },
      { name: 'refusing', answer: rejected },
    ],
    eventBytes: EVENT_BYTES,
    // Requests begin when much has been read.
    options: { budgetBytes: BUDGET_BYTES, lingerMs: 200 },
  });
  stage.start();
  for (let user = 0; user < 5; user += 1) stage.accept(`user${user}`, 100, 'A', user % 2);
  await stage.run(2 * SECOND_MS);
  expect(stage.engine.budget.hasRoom).toBe(false);
  const count = stage.takenBy('healthy').length;
  expect(count).toBeLessThan(500);
  await stage.run(tookMs);
  expect(stage.takenBy('healthy')).toHaveLength(500);
});

it('spends nothing of the rate of a destination on loading rows that come one by one', async () => {
  let answer: Answer = rejected;
  const stage = new Stage({
    destinations: [
      {
        name: 'strict',
        only: 'A',
        limits: { maxEvents: 1, ratePerSecond: 10 },
        answer: (events) => answer(events),
      },
      { name: 'healthy' },
      { name: 'refusing', answer: rejected },
    ],
    eventBytes: EVENT_BYTES,
    options: { budgetBytes: 10 * EVENT_BYTES },
  });
  stage.start();
  stage.every(200, 60 * 200, () => {
    stage.accept('user0', 1, 'A', 0);
    stage.accept('user1', 1, 'B', 1);
  });
  await stage.run(60 * SECOND_MS);
  expect(await stage.rows('strict')).toBe(60);
  answer = delivered;
  const redrive = await stage.redrive('strict');
  // Redrives have a fifth of the rate.
  await stage.run(32 * SECOND_MS);
  expect(await redrive.progress()).toMatchObject({ state: 'Succeeded', Delivered: 60 });
});
