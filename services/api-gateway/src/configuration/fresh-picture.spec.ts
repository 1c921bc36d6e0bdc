import { CatchUp } from './catch-up';
import { FreshPicture } from './fresh-picture';

const setUp = () => {
  let reads = 0;
  const state = { isReached: true };
  const fresh = new FreshPicture(
    new CatchUp(() => {
      reads += 1;
      return Promise.resolve(state.isReached);
    }),
  );
  return { fresh, state, reads: () => reads };
};

const AWAY = { code: 'ServiceUnavailable', status: 503 };

let nowMs: number;
beforeEach(() => {
  nowMs = 5_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => jest.restoreAllMocks());

it('reads once for all requests of half a second', async () => {
  const { fresh, reads } = setUp();
  await Promise.all([fresh.require(), fresh.require(), fresh.require()]);
  nowMs += 500;
  await fresh.require();
  expect(reads()).toBe(1);
});

it('reads ahead while requests come, and lets them in meanwhile', async () => {
  const { fresh, state, reads } = setUp();
  await fresh.require();
  nowMs += 501;
  state.isReached = false;
  await fresh.require();
  await new Promise(setImmediate);
  expect(reads()).toBe(2);
  nowMs += 499;
  await fresh.require();
});

it('lets nobody in on a picture that was last whole more than a second ago', async () => {
  const { fresh, state } = setUp();
  await fresh.require();
  state.isReached = false;
  nowMs += 1_001;
  await expect(fresh.require()).rejects.toMatchObject(AWAY);
  state.isReached = true;
  await fresh.require();
});

it('takes a picture to be as old as the beginning of its reading', async () => {
  let reached: (isReached: boolean) => void = () => undefined;
  const fresh = new FreshPicture(new CatchUp(() => new Promise((resolve) => (reached = resolve))));
  const let_in = fresh.require();
  nowMs += 1_001;
  reached(true);
  await expect(let_in).rejects.toMatchObject(AWAY);
});

it('waits for longer than any gateway goes by an old picture', async () => {
  const { fresh } = setUp();
  const beganMs = Date.now();
  await fresh.seenEverywhere();
  expect(Date.now() - beganMs).toBeGreaterThan(1_000);
});
