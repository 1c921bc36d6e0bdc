import { FakeClock } from '../testing/fake-clock';
import { Throttle } from './throttle';

it('halves the factor at each 429, at most once per second, down to 1/64', async () => {
  const clock = new FakeClock();
  const throttle = new Throttle(clock);
  expect(throttle.factor).toBe(1);
  throttle.slowDown();
  throttle.slowDown();
  expect(throttle.factor).toBe(1 / 2);
  for (let each = 0; each < 20; each += 1) {
    await clock.advance(1_000);
    throttle.slowDown();
  }
  expect(throttle.factor).toBe(1 / 64);
});

it('recovers to 1 in steps', async () => {
  const clock = new FakeClock();
  const throttle = new Throttle(clock);
  throttle.slowDown();
  await clock.advance(9_999);
  expect(throttle.factor).toBe(1 / 2);
  await clock.advance(1);
  expect(throttle.factor).toBe(3 / 4);
  await clock.advance(10_000);
  expect(throttle.factor).toBe(1);
});
