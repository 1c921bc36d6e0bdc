import { TimeLimit } from './time-limit';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const limit = (ms: number) => {
  let ups = 0;
  const time = new TimeLimit<'one' | 'other'>(ms, () => (ups += 1));
  return { time, ups: () => ups };
};

it('fires once, after its time and not before', () => {
  const { ups } = limit(100);
  jest.advanceTimersByTime(99);
  expect(ups()).toBe(0);
  jest.advanceTimersByTime(1_000);
  expect(ups()).toBe(1);
});

it('does not count the time of a pause', () => {
  const { time, ups } = limit(100);
  jest.advanceTimersByTime(60);
  time.pause('one');
  jest.advanceTimersByTime(1_000);
  time.resume('one');
  jest.advanceTimersByTime(39);
  expect(ups()).toBe(0);
  jest.advanceTimersByTime(1);
  expect(ups()).toBe(1);
});

it('continues when no reason to pause is left', () => {
  const { time, ups } = limit(100);
  time.pause('one');
  time.pause('other');
  time.pause('other');
  time.resume('other');
  jest.advanceTimersByTime(1_000);
  expect(ups()).toBe(0);
  time.resume('one');
  time.resume('one');
  jest.advanceTimersByTime(100);
  expect(ups()).toBe(1);
});

it('never fires after it was stopped', () => {
  const { time, ups } = limit(100);
  time.stop();
  jest.advanceTimersByTime(1_000);
  expect(ups()).toBe(0);
});
