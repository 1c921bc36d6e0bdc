import * as fc from 'fast-check';
import { KeyedWork } from './keyed-work';

interface Item {
  readonly key: string;
  readonly offset: number;
}

interface Handled {
  readonly item: Item;
  readonly end: (error?: Error) => void;
}

const STAYING = new AbortController().signal;

/** Work whose handlers end when the test ends them. */
const stand = (limits: { concurrency: number; maxUnfinished: number }) => {
  const running: Handled[] = [];
  const finished: Item[] = [];
  let most = 0;
  let moves = 0;
  const work = new KeyedWork<Item>({
    ...limits,
    handle: (item) =>
      new Promise((resolve, reject) => {
        expect(running.map((each) => each.item.key)).not.toContain(item.key);
        const end = (error?: Error): void => {
          running.splice(running.indexOf(handled), 1);
          if (error !== undefined) return reject(error);
          finished.push(item);
          resolve();
        };
        const handled = { item, end };
        running.push(handled);
        most = Math.max(most, running.length);
      }),
    onFault: () => undefined,
    onMoved: () => (moves += 1),
  });
  return {
    work,
    running,
    finished,
    most: () => most,
    moves: () => moves,
  };
};

const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined);

const itemsOf = (keys: string, from = 0): Item[] =>
  Array.from(keys, (key, index) => ({ key, offset: from + index }));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('handles each item once, a key in order, whatever fails and however long it takes', async () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('take', 'end', 'end', 'fail', 'wait'),
      keys: fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 5 }),
      which: fc.nat(10),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (list, concurrency) => {
      const { work, running, finished, most } = stand({ concurrency, maxUnfinished: 1_000 });
      const taken: Item[] = [];
      for (const { what, keys, which } of list) {
        const handled = running[which % Math.max(1, running.length)];
        if (what === 'take') {
          const items = itemsOf(keys, taken.length);
          taken.push(...items);
          await work.take(items, STAYING);
        } else if (what === 'end') handled?.end();
        else if (what === 'fail') handled?.end(new Error('away'));
        else await jest.advanceTimersByTimeAsync(200);
        await settle();
        const open = taken.filter((item) => !finished.includes(item));
        expect(work.position).toBe(
          open[0]?.offset ?? (taken.length > 0 ? taken.length : undefined),
        );
      }
      for (let left = 1_000; finished.length < taken.length && left > 0; left -= 1) {
        running[0]?.end();
        await jest.advanceTimersByTimeAsync(6_000);
      }
      expect(most()).toBeLessThanOrEqual(concurrency);
      for (const key of 'abcd')
        expect(finished.filter((item) => item.key === key)).toEqual(
          taken.filter((item) => item.key === key),
        );
    }),
  );
});

it('goes on with other keys of later batches while one is slow', async () => {
  const { work, running, finished, moves } = stand({ concurrency: 2, maxUnfinished: 100 });
  await work.take(itemsOf('ab'), STAYING);
  running[1]?.end();
  await settle();
  expect([work.position, moves()]).toEqual([0, 0]);
  await work.take(itemsOf('bcb', 2), STAYING);
  for (let times = 0; times < 3; times += 1) {
    running.find(({ item }) => item.key !== 'a')?.end();
    await settle();
  }
  expect(finished.map(({ offset }) => offset)).toEqual([1, 2, 3, 4]);
  expect(work.position).toBe(0);
  running[0]?.end();
  await settle();
  expect([work.position, moves()]).toEqual([5, 1]);
});

it('serves keys in turn: one with much to do does not stand before the others', async () => {
  const { work, running, finished } = stand({ concurrency: 1, maxUnfinished: 100 });
  await work.take(itemsOf('aaabc'), STAYING);
  for (let times = 0; times < 5; times += 1) {
    running[0]?.end();
    await settle();
  }
  expect(finished.map(({ key }) => key).join('')).toBe('abcaa');
});

it('takes more only when there is room, and gives up when it is to leave', async () => {
  const { work, running } = stand({ concurrency: 2, maxUnfinished: 2 });
  let hasRoom = false;
  void work.take(itemsOf('ab'), STAYING).then(() => (hasRoom = true));
  await settle();
  expect(hasRoom).toBe(false);
  running[0]?.end();
  await settle();
  expect(hasRoom).toBe(true);
  const leaving = new AbortController();
  const taking = work.take(itemsOf('cd', 2), leaving.signal);
  leaving.abort(new Error('leaving'));
  await expect(taking).rejects.toThrow('leaving');
});

it('skips items that it has accepted before', async () => {
  const { work, running, finished } = stand({ concurrency: 5, maxUnfinished: 100 });
  await work.take(itemsOf('ab'), STAYING);
  await work.take(itemsOf('abc'), STAYING);
  while (running.length > 0) {
    running[0]?.end();
    await settle();
  }
  expect(finished.map(({ offset }) => offset)).toEqual([0, 1, 2]);
});

it('begins nothing once it leaves, and waits for what is at work', async () => {
  const { work, running, finished } = stand({ concurrency: 2, maxUnfinished: 100 });
  await work.take(itemsOf('abac'), STAYING);
  running[1]?.end(new Error('away'));
  await settle();
  let hasLeft = false;
  void work.leave().then(() => (hasLeft = true));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(hasLeft).toBe(false);
  while (running.length > 0) running[0]?.end();
  await settle();
  expect(hasLeft).toBe(true);
  expect(finished.map(({ offset }) => offset)).toEqual([0, 3]);
  expect(work.position).toBe(1);
  await work.leave();
});
