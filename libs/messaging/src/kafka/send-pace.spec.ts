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
  [0, 0],
  [24, 0],
  [25, 5],
  [49, 5],
  [50, 20],
])('after %i sends within 100 ms lets messages gather for %i ms', (count, lingerMs) => {
  const { pace, send } = paceAt();
  send(count);
  expect(pace.lingerMs()).toBe(lingerMs);
});

it('stays busy for the rest of the next 100 ms, and is idle after that', () => {
  const { clock, pace, send } = paceAt();
  send(25);
  clock.nowMs += 100;
  expect(pace.lingerMs()).toBe(5);
  clock.nowMs += 99;
  expect(pace.lingerMs()).toBe(5);
  clock.nowMs += 1;
  expect(pace.lingerMs()).toBe(0);
});

it('ignores sends more than two windows ago', () => {
  const { clock, pace, send } = paceAt();
  send(25);
  clock.nowMs += 200;
  expect(pace.lingerMs()).toBe(0);
});
