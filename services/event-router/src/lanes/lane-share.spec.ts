import { FakeClock } from '../testing/fake-clock';
import { LaneShare } from './lane-share';

const PARTITIONS = 8;
const FULL = 1_000;
const STUCK = 100;

const clock = new FakeClock();
let share: LaneShare;

/** So many looks, a quarter of a second apart. */
const look = async (times: number, isIdle = false): Promise<void> => {
  for (let each = 0; each < times; each += 1) {
    await clock.advance(250);
    share.look(isIdle);
  }
};

beforeEach(() => {
  share = new LaneShare(clock, { maxOpenPerLane: FULL });
  share.look(false);
});

it('gives little to a lane of which nothing has come for two seconds, until something does', async () => {
  await look(7);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  await look(1);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
  share.moved();
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  await look(8);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  await look(1);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
});

it('has more patience with a lane whose requests are under way', async () => {
  share.beginRequest();
  await look(40);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  await look(1);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
  share.endRequest();
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  expect(share.requests).toBe(0);
});

it('gives its share to a lane that had nothing to do', async () => {
  await look(40, true);
  await look(7);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
});

it('gives two rounds of requests where they take more', async () => {
  share.limits = { maxEvents: 1_000, concurrency: 20 };
  expect(share.openOf(PARTITIONS)).toBe(5_000);
  expect(share.openOf(0)).toBe(40_000);
  await look(8);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
});

it('leaves a lane that may not work a request of what it has, and a hundred deliveries at least', () => {
  expect(share.openInDoubt).toBe(STUCK);
  share.limits = { maxEvents: 99, concurrency: 20 };
  expect(share.openInDoubt).toBe(STUCK);
  share.limits = { maxEvents: 101, concurrency: 20 };
  expect(share.openInDoubt).toBe(101);
});
