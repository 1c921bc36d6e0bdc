import { Pace } from './pace';

let nowMs = 0;

/** The time passes by work alone, however busy the machine is. */
const work = (ms: number): void => {
  nowMs += ms;
};

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  jest.restoreAllMocks();
});

it('lets other work have its turn after a few milliseconds, and not before', async () => {
  const pace = new Pace(60_000, new AbortController().signal);
  let turns = 0;
  const other = (): void => {
    turns += 1;
    setImmediate(other).unref();
  };
  setImmediate(other);
  work(4);
  await pace.turn();
  expect(turns).toBe(0);
  work(1);
  await pace.turn();
  expect(turns).toBeGreaterThan(0);
});

it('ends when nobody waits any more', async () => {
  const given = new AbortController();
  const pace = new Pace(60_000, given.signal);
  given.abort();
  work(6);
  await expect(pace.turn()).rejects.toMatchObject({ kind: 'unreachable' });
});

it('says when its time is over', () => {
  const { signal } = new AbortController();
  expect(new Pace(60_000, signal).isOver()).toBe(false);
  expect(new Pace(0, signal).isOver()).toBe(true);
});
