import { Repeated } from './repeated';

const LONG_MS = 3_600_000;

const failed = (error: unknown): void => {
  throw error;
};

it('does its work at once, and again whenever it is woken', async () => {
  let count = 0;
  let done: () => void = () => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (done = resolve));
  const work = (): Promise<void> => {
    count += 1;
    done();
    return Promise.resolve();
  };
  const repeated = new Repeated(LONG_MS, work, failed);
  repeated.wake();
  let one = next();
  repeated.start();
  await one;
  expect(count).toBe(1);
  for (const expected of [2, 3]) {
    one = next();
    repeated.wake();
    repeated.wake();
    await one;
    expect(count).toBe(expected);
  }
  await repeated.stop();
});

it('that is woken while it works does it once more, never twice at a time', async () => {
  let [under, most, count] = [0, 0, 0];
  let finished: () => void = () => undefined;
  const twice = new Promise<void>((resolve) => (finished = resolve));
  const repeated: Repeated = new Repeated(
    LONG_MS,
    async () => {
      under += 1;
      count += 1;
      most = Math.max(most, under);
      if (count === 1) for (let n = 0; n < 3; n += 1) repeated.wake();
      await new Promise((resolve) => setTimeout(resolve, 5));
      under -= 1;
      if (count === 2) finished();
    },
    failed,
  );
  repeated.start();
  await twice;
  await repeated.stop();
  expect([count, most]).toEqual([2, 1]);
});

it('goes on after a failure, and does nothing once it is stopped', async () => {
  const errors: unknown[] = [];
  let count = 0;
  const repeated = new Repeated(
    1,
    () => {
      count += 1;
      return Promise.reject(new Error('it fails'));
    },
    (error) => errors.push(error),
  );
  repeated.start();
  while (count < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  await repeated.stop();
  const ended = count;
  repeated.wake();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect([count, errors.length]).toEqual([ended, ended]);
});
