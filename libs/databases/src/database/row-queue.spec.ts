import { RowQueue } from './row-queue';

const KIB = 1_024;

const queueOf = (rowBytes: number) => {
  const flow = { isPaused: false, pauses: 0 };
  const queue = new RowQueue<number>(
    {
      pause: () => {
        flow.isPaused = true;
        flow.pauses += 1;
      },
      resume: () => {
        flow.isPaused = false;
      },
    },
    () => rowBytes,
  );
  return { queue, flow };
};

const push = (queue: RowQueue<number>, count: number): void => {
  for (let row = 1; row <= count; row += 1) queue.push(row);
};

it.each([
  ['rows', 1, 1_000],
  ['bytes', 2 * KIB, KIB / 2],
  ['one large row', 2 * KIB * KIB, 1],
])('the connection pauses at a batch that is full by its %s', (_, rowBytes, count) => {
  const { queue, flow } = queueOf(rowBytes);
  push(queue, count - 1);
  expect(flow.isPaused).toBe(false);
  push(queue, 1);
  expect(flow.isPaused).toBe(true);
  push(queue, 5);
  expect(flow.pauses).toBe(1);
});

it('the connection goes on when the batch is taken', async () => {
  const { queue, flow } = queueOf(1);
  push(queue, 1_000);
  const batches = queue.batches();
  expect((await batches.next()).value).toHaveLength(1_000);
  expect(flow.isPaused).toBe(false);
});

it('whoever waits gets the next row', async () => {
  const { queue } = queueOf(1);
  const waiting = queue.batches().next();
  queue.push(7);
  expect((await waiting).value).toEqual([7]);
});

it('what has come is given before the fault', async () => {
  const { queue } = queueOf(1);
  queue.push(1);
  queue.finish(new Error('lost'));
  queue.finish();
  queue.push(2);
  const batches = queue.batches();
  expect((await batches.next()).value).toEqual([1]);
  await expect(batches.next()).rejects.toThrow('lost');
});

it('it ends', async () => {
  const { queue } = queueOf(1);
  const batches = queue.batches();
  const waiting = batches.next();
  queue.finish();
  expect(await waiting).toEqual({ done: true, value: undefined });
});
