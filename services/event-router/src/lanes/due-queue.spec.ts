import fc from 'fast-check';
import { DueQueue } from './due-queue';

it('returns no item before it is due', () => {
  const queue = new DueQueue<string>();
  queue.add('a', 10);
  expect(queue.take(9)).toBeUndefined();
  expect(queue.take(10)).toBe('a');
  expect(queue.take(10)).toBeUndefined();
});

it('returns all items, the earliest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100)), (dues) => {
      const queue = new DueQueue<number>();
      for (const due of dues) queue.add(due, due);
      const taken = dues.map(() => queue.take(100));
      expect(taken).toEqual([...dues].sort((a, b) => a - b));
      expect(queue.size).toBe(0);
    }),
  );
});
