import { deliver, pauseMs } from './deliver';
import type { BatchHandler, LogRecord } from './message-log';

const RECORDS: LogRecord[] = [
  { partition: 2, offset: 7, timestampMs: 0, key: 'key', value: 'value' },
];

it.each([
  [1, 100],
  [2, 200],
  [6, 3_200],
  [7, 5_000],
  [1_000, 5_000],
])('pauses after attempt %i for %i ms', (attempt, expected) => {
  expect(pauseMs(attempt)).toBe(expected);
});

it('delivers the same records until the handler succeeds, and reports each failure', async () => {
  const onBatch = jest.fn<Promise<void>, Parameters<BatchHandler>>();
  onBatch.mockImplementationOnce(() => {
    throw new TypeError('at once');
  });
  onBatch.mockRejectedValueOnce(new Error('later'));
  onBatch.mockResolvedValueOnce();
  const onFault = jest.fn();
  const { signal } = new AbortController();

  expect(await deliver(2, RECORDS, { onBatch, onFault, signal })).toBe(true);
  expect(onBatch.mock.calls).toEqual([
    [2, RECORDS, signal],
    [2, RECORDS, signal],
    [2, RECORDS, signal],
  ]);
  expect(onFault).toHaveBeenCalledTimes(2);
});

it('gives up during the pause after a failure, but not during the handler', async () => {
  const leaving = new AbortController();
  const onBatch = jest.fn(() => {
    setTimeout(() => {
      leaving.abort();
    }, 10);
    return Promise.reject(new Error('not now'));
  });
  const delivery = { onBatch, onFault: () => undefined, signal: leaving.signal };

  expect(await deliver(0, RECORDS, delivery)).toBe(false);
  expect(onBatch).toHaveBeenCalledTimes(1);
  expect(await deliver(0, RECORDS, delivery)).toBe(false);
  expect(onBatch).toHaveBeenCalledTimes(1);
});

it('signals the handler to give up, and does not count its rejection as a failure', async () => {
  const leaving = new AbortController();
  const onBatch = (_: number, __: unknown, signal: AbortSignal): Promise<void> => {
    leaving.abort();
    return Promise.reject(signal.reason as Error);
  };
  const onFault = jest.fn();

  expect(await deliver(0, RECORDS, { onBatch, onFault, signal: leaving.signal })).toBe(false);
  expect(onFault).not.toHaveBeenCalled();
});
