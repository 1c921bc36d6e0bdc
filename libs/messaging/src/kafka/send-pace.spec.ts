import { SendPace } from './send-pace';

const paceAt = () => {
  const clock = { nowMs: 1_000 };
  const pace = new SendPace(() => clock.nowMs);
  const send = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) pace.count();
  };
  return { clock, pace, send };
};

it.each([
  [0, false],
  [24, false],
  [25, true],
])('%i sends within 100 ms are busy: %s', (count, isBusy) => {
  const { pace, send } = paceAt();
  send(count);
  expect(pace.isBusy()).toBe(isBusy);
});

it('stays busy for the rest of the next 100 ms, and is idle after that', () => {
  const { clock, pace, send } = paceAt();
  send(25);
  clock.nowMs += 100;
  expect(pace.isBusy()).toBe(true);
  clock.nowMs += 99;
  expect(pace.isBusy()).toBe(true);
  clock.nowMs += 1;
  expect(pace.isBusy()).toBe(false);
});

it('forgets sends that lie more than two windows back', () => {
  const { clock, pace, send } = paceAt();
  send(25);
  clock.nowMs += 200;
  expect(pace.isBusy()).toBe(false);
});
