import { LogUnavailable } from '../message-log';
import { AppendCall, type Pending } from './append-call';
import { AppendQueue } from './append-queue';

const calls: AppendCall[] = [];
const callOf = (count = 1, timeoutMs = 60_000): AppendCall => {
  const call = new AppendCall(count, performance.now() + timeoutMs, () => undefined);
  call.positions.catch(() => undefined);
  calls.push(call);
  return call;
};
afterEach(() => {
  for (const call of calls.splice(0)) call.fail(new Error('the test is over'));
});

const pendingOf = (call: AppendCall, bytes: number, partitionId = 1): Pending => ({
  call,
  bytes,
  partitionId,
  partition: 0,
  index: 0,
  message: { key: 'k', value: 'v' },
});

const queueOf = (pending: readonly Pending[]): AppendQueue => {
  const queue = new AppendQueue();
  for (const one of pending) queue.push(one);
  return queue;
};

it('takes messages in order, and counts the bytes that wait', () => {
  const pending = [10, 20, 30].map((bytes) => pendingOf(callOf(), bytes));
  const queue = queueOf(pending);
  expect([queue.bytes, queue.isEmpty]).toEqual([60, false]);
  expect(queue.take()).toEqual(pending);
  expect([queue.bytes, queue.isEmpty]).toEqual([0, true]);
});

it.each([
  ['2,000 messages', 2_000, 1, () => 1, [2_000]],
  ['one more', 2_001, 1, () => 1, [2_000, 1]],
  ['4 MB', 4, 1_000_000, () => 1, [4]],
  ['one message more', 5, 1_000_000, () => 1, [4, 1]],
  ['messages larger than a flush', 2, 5_000_000, () => 1, [1, 1]],
  ['256 partitions', 256, 1, (index: number) => index, [256]],
  ['one partition more', 257, 1, (index: number) => index, [256, 1]],
])('flushes at most: %s', (_, count, bytes, partitionOf, flushes) => {
  const call = callOf(count);
  const queue = queueOf(
    Array.from({ length: count }, (_unused, index) => pendingOf(call, bytes, partitionOf(index))),
  );
  const sizes = [];
  while (!queue.isEmpty) sizes.push(queue.take().length);
  expect(sizes).toEqual(flushes);
});

it('skips messages of a call that was given up, and releases their bytes', async () => {
  const [given, kept] = [callOf(), callOf()];
  const queue = queueOf([pendingOf(given, 10), pendingOf(kept, 20)]);
  given.fail(new LogUnavailable('late'));
  queue.withdraw();
  queue.push(pendingOf(given, 40));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(queue.bytes).toBe(20);
  expect(queue.take()).toEqual([expect.objectContaining({ call: kept })]);
  expect(queue.isEmpty).toBe(true);
});

it('resolves a call when its last message is stored', async () => {
  const call = callOf(2);
  call.place(1, { partition: 0, offset: 8 });
  expect(call.isSettled).toBe(false);
  call.place(0, { partition: 1, offset: 5 });
  expect(await call.positions).toEqual([
    { partition: 1, offset: 5 },
    { partition: 0, offset: 8 },
  ]);
});

it('rejects a call in time, once', async () => {
  const onTimeout = jest.fn();
  const call = new AppendCall(1, performance.now() + 20, onTimeout);
  await expect(call.positions).rejects.toThrow(LogUnavailable);
  call.place(0, { partition: 0, offset: 0 });
  call.fail(new Error('too late'));
  await expect(call.positions).rejects.toThrow(LogUnavailable);
  expect(onTimeout).toHaveBeenCalledTimes(1);
});
