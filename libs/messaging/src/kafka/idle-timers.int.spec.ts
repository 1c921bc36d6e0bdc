import { randomUUID } from 'node:crypto';
import { openLog } from './test-brokers.fixture';

jest.setTimeout(60_000);

it('sets no timer of a negative time, about which newer versions of Node warn', async () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const log = await openLog();
  let times: readonly number[] = [];
  try {
    const name = `timers-${randomUUID()}`;
    await log.ensureTopics([{ name, partitions: 1, retention: 'forever' }]);
    await log.append(name, [{ key: 'k', value: '1' }]);
    expect(await log.endOffsets(name)).toEqual([1]);
  } finally {
    await log.close();
    times = timers.mock.calls.map(([, ms]) => ms ?? 0);
    timers.mockRestore();
  }
  expect(times.length).toBeGreaterThan(0);
  expect(times.filter((ms) => ms < 0)).toEqual([]);
});
