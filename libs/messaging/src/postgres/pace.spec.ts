import { Pace } from './pace';

let nowMs = 0;
const OPTIONS = { fromPerSecond: 500, gatherMs: 5, enough: 20, now: () => nowMs };
const paced = () => new Pace(OPTIONS);

/** Simulates half a second with this many triggers per second, one in each round. */
const bring = async (pace: Pace, perSecond: number): Promise<void> => {
  for (let each = 0; each < perSecond / 2; each += 1) {
    nowMs += 1_000 / perSecond;
    if (pace.restMs <= 0) await pace.begin(1);
    pace.note(1);
  }
};

beforeEach(() => {
  nowMs = 1_000;
});

it('begins at once while there are few triggers', async () => {
  const pace = paced();
  await bring(pace, 400);
  expect(pace.restMs).toBe(0);
});

it('spaces rounds while there are many triggers, and no longer than that', async () => {
  const pace = paced();
  await bring(pace, 1_000);
  await pace.begin(1);
  expect(pace.restMs).toBe(5);
  nowMs += 5;
  expect(pace.restMs).toBe(0);
});

it('begins at once again after a quiet period', async () => {
  const pace = paced();
  await bring(pace, 1_000);
  nowMs += 200;
  await pace.begin(1);
  expect(pace.restMs).toBe(0);
});

it('stops waiting when enough has arrived, before or meanwhile', async () => {
  const pace = paced();
  await bring(pace, 1_000);
  await pace.begin(1);
  await pace.begin(20);
  expect(pace.isGathering).toBe(false);

  let isOver = false;
  const begun = pace.begin(19).then(() => {
    isOver = true;
  });
  expect(pace.isGathering).toBe(true);
  pace.came(19);
  await Promise.resolve();
  expect(isOver).toBe(false);
  pace.came(20);
  await begun;
  expect(pace.isGathering).toBe(false);
});

it('stops waiting when nothing has arrived for a while', async () => {
  jest.useFakeTimers();
  const pace = new Pace({ ...OPTIONS, gatherMs: 50, quietMs: 10 });
  await bring(pace, 1_000);
  nowMs += 50;
  await pace.begin(1);
  let isOver = false;
  const begun = pace.begin(1).then(() => {
    isOver = true;
  });
  await jest.advanceTimersByTimeAsync(6);
  pace.came(2);
  await jest.advanceTimersByTimeAsync(6);
  expect(isOver).toBe(false);
  await jest.advanceTimersByTimeAsync(4);
  await begun;
  expect(isOver).toBe(true);
  jest.useRealTimers();
});
