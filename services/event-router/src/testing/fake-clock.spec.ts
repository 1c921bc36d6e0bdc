import { FakeClock } from './fake-clock';

it('runs timers in order of their due time, then of their creation', async () => {
  const clock = new FakeClock(1_000);
  const order: string[] = [];
  const note = (name: string) => () => order.push(`${name} at ${String(clock.nowMs())}`);
  clock.after(20, note('b'));
  clock.after(10, note('a'));
  clock.after(20, note('c'));
  clock.after(31, note('d'));
  await clock.advance(30);
  expect(order).toEqual(['a at 1010', 'b at 1020', 'c at 1020']);
  expect([clock.nowMs(), clock.pending]).toEqual([1_030, 1]);
});

it('processes promises after a timer before the next one runs', async () => {
  const clock = new FakeClock();
  const order: string[] = [];
  clock.after(10, () => {
    clock.soon(() => order.push('soon'));
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => order.push('promise'));
  });
  clock.after(10, () => order.push('second'));
  await clock.advance(10);
  expect(order).toEqual(['promise', 'soon', 'second']);
});

it('runs timers that a timer has set within the remaining time', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const again = (): void => {
    times.push(clock.nowMs());
    clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(35);
  expect(times).toEqual([10, 20, 30]);
});

it('does not run cancelled timers', async () => {
  const clock = new FakeClock();
  const work = jest.fn();
  clock.after(10, work)();
  await clock.advance(20);
  expect(work).not.toHaveBeenCalled();
});

it('runs timers late after a freeze', async () => {
  const clock = new FakeClock(0, 5_000);
  const times: number[] = [];
  clock.after(10, () => times.push(clock.nowMs()));
  clock.freeze(1_000);
  expect(times).toEqual([]);
  await clock.advance(0);
  expect(times).toEqual([1_000]);
  expect(clock.wallMs()).toBe(6_000);
});

it('advances the wall clock with the time, from where it was set', async () => {
  const clock = new FakeClock();
  clock.setWallMs(9_000);
  await clock.advance(500);
  expect([clock.wallMs(), clock.nowMs()]).toEqual([9_500, 500]);
});

it('throws when work without delay is scheduled endlessly', async () => {
  const clock = new FakeClock();
  const again = (): void => {
    clock.soon(again);
  };
  again();
  await expect(clock.settle()).rejects.toThrow('again and again');
});
