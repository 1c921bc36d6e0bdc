import { FakeClock } from '../testing/fake-clock';
import { LaneShare } from './lane-share';

const PARTITIONS = 8;
const FULL = 1_000;
const STUCK = 100;

const clock = new FakeClock();
let share: LaneShare;

/** Calls `look` this number of times, at intervals of 250 ms. */
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

it('gives a small share to a lane without progress for two seconds, until it makes some', async () => {
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

it('waits longer for a lane whose requests are under way', async () => {
  share.beginRequest();
  await look(40);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  await look(1);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
  share.endRequest();
  expect(share.openOf(PARTITIONS)).toBe(FULL);
  expect(share.requests).toBe(0);
});

it('gives the full share to a lane that had nothing to do', async () => {
  await look(40, true);
  await look(7);
  expect(share.openOf(PARTITIONS)).toBe(FULL);
});

it('gives two rounds of requests where they hold more', async () => {
  share.limits = { maxEvents: 1_000, concurrency: 20 };
  expect(share.openOf(PARTITIONS)).toBe(5_000);
  expect(share.openOf(0)).toBe(40_000);
  await look(8);
  expect(share.openOf(PARTITIONS)).toBe(STUCK);
});

it('gives a suspect or stuck lane one request of deliveries, and at least a hundred', () => {
  expect(share.openInDoubt).toBe(STUCK);
  share.limits = { maxEvents: 99, concurrency: 20 };
  expect(share.openInDoubt).toBe(STUCK);
  share.limits = { maxEvents: 101, concurrency: 20 };
  expect(share.openInDoubt).toBe(101);
});
