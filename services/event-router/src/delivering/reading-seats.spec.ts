import type { JobId } from '@penstock/contracts';
import type { Clock } from '../time/clock';
import { ReadingSeats } from './reading-seats';

const setUp = () => {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs } as Clock;
  const log = { read: () => Promise.reject(new Error('nothing is read')) };
  const seats = new ReadingSeats({ clock, log, liveLagMs: () => 0 });
  return {
    take: (job: string) => seats.take(job as JobId),
    rest: (job: string) => {
      seats.rest(job as JobId);
    },
    leave: (job: string) => {
      seats.leave(job as JobId);
    },
    later: (ms: number) => (nowMs += ms),
  };
};

const FOUR = ['a', 'b', 'c', 'd'];

it('four have a seat, which they keep while nobody waits', () => {
  const { take, later } = setUp();
  const first = FOUR.map(take);
  later(60_000);
  expect(FOUR.map(take)).toEqual(first);
  expect(first).not.toContain(undefined);
});

it('one that waits gets the seat of one whose time is over, also of those that never come again', () => {
  const { take, later } = setUp();
  FOUR.forEach(take);
  expect(take('e')).toBeUndefined();
  later(9_999);
  expect(take('e')).toBeUndefined();
  later(1);
  expect(take('e')).toBeDefined();
  expect(take('f')).toBeDefined();
});

it('nobody waits behind one that has nothing to be given', () => {
  const { take, rest, leave } = setUp();
  FOUR.forEach(take);
  expect([take('e'), take('f')]).toEqual([undefined, undefined]);
  leave('a');
  expect(take('f')).toBeUndefined();
  rest('e');
  expect(take('f')).toBeDefined();
});
