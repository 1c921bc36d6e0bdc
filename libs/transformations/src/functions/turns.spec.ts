import { Turns } from './turns';

it('runs at most so many at a time, in order, and goes on after a failure', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const task = (index: number) => () => {
    begun.push(index);
    return new Promise<void>((resolve, reject) => {
      ends.push(index === 0 ? () => reject(new Error('failed')) : resolve);
    });
  };
  const all = [0, 1, 2, 3].map((index) => turns.take(task(index)));
  const settled = Promise.allSettled(all);
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await expect(all[0]).rejects.toThrow('failed');
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await all[1];
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  await settled;
  expect(turns.unused).toBe(true);
});
