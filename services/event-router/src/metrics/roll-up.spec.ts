import { FakeClock } from '../testing/fake-clock';
import { RollUp } from './roll-up';

let clock: FakeClock;
let slices: number;
let calls: number[];
let rollUp: RollUp;

beforeEach(() => {
  clock = new FakeClock();
  calls = [];
  slices = 3;
  rollUp = new RollUp(
    {
      rollUp: async () => {
        calls.push(clock.nowMs());
        await new Promise<void>((resolve) => clock.after(100, resolve));
        return calls.length < slices;
      },
    },
    clock,
  );
});

it('merges slice by slice until nothing is due, and rests as long as it works', async () => {
  const done = rollUp.run();
  const again = rollUp.run();
  await clock.advance(1_000);
  await Promise.all([done, again]);
  expect(calls.map((at) => at - calls[0]!)).toEqual([0, 200, 400]);
});

it('begins no slice after it was stopped, and waits for the one under way', async () => {
  slices = Infinity;
  const done = rollUp.run();
  let isStopped = false;
  const stopped = rollUp.stop().then(() => (isStopped = true));
  await clock.advance(50);
  expect(isStopped).toBe(false);
  await clock.advance(1_000);
  await Promise.all([done, stopped]);
  expect(calls).toHaveLength(1);
});

it('can be run again after a failure', async () => {
  const failing = new RollUp({ rollUp: () => Promise.reject(new Error('away')) }, clock);
  await expect(failing.run()).rejects.toThrow('away');
  await expect(failing.run()).rejects.toThrow('away');
});
