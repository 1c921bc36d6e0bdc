import { FakeClock } from '../testing/fake-clock';
import { Restarted, type Running } from './restarted';

const setUp = () => {
  const clock = new FakeClock();
  const faults: unknown[] = [];
  const ends: ((cause: unknown) => void)[] = [];
  let begun = 0;
  let stopped = 0;
  let failure: Error | undefined;
  const begin = (): Promise<Running> => {
    begun += 1;
    if (failure !== undefined) return Promise.reject(failure);
    const ended = new Promise<unknown>((resolve) => ends.push(resolve));
    const stop = (): Promise<void> => {
      stopped += 1;
      ends.at(-1)?.(undefined);
      return Promise.resolve();
    };
    return Promise.resolve({ ended, stop });
  };
  const work = new Restarted({ clock, begin, onFault: (cause) => faults.push(cause) });
  return {
    clock,
    work,
    faults,
    end: (cause: unknown) => ends.at(-1)?.(cause),
    fail: (error: Error | undefined) => (failure = error),
    counts: () => ({ begun, stopped }),
  };
};

it('begins again a second after it has ended by itself, not before', async () => {
  const { clock, work, faults, end, counts } = setUp();
  work.start();
  await clock.advance(0);
  end('cut');
  await clock.advance(999);
  expect([faults, counts()]).toEqual([['cut'], { begun: 1, stopped: 0 }]);
  await clock.advance(1);
  expect(counts()).toEqual({ begun: 2, stopped: 0 });
});

it('tries again while it cannot begin', async () => {
  const { clock, work, faults, fail, counts } = setUp();
  const failure = new Error('away');
  fail(failure);
  work.start();
  await clock.advance(1_000);
  expect([faults, counts().begun]).toEqual([[failure, failure], 2]);
  fail(undefined);
  await clock.advance(5_000);
  expect([faults.length, counts().begun]).toEqual([2, 3]);
});

it('does not begin again once it is stopped, also when stopped while it begins or waits', async () => {
  const { clock, work, faults, counts } = setUp();
  work.start();
  await work.stop();
  await clock.advance(5_000);
  expect([faults, counts().begun]).toEqual([[], 1]);
  expect(counts().stopped).toBeGreaterThan(0);

  const waiting = setUp();
  waiting.fail(new Error('away'));
  waiting.work.start();
  await waiting.clock.advance(500);
  await waiting.work.stop();
  await waiting.clock.advance(5_000);
  expect(waiting.counts().begun).toBe(1);
});
