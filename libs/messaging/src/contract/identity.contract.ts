import { LogUnavailable } from '../message-log';
import { freshTopic, type LogHarness, opener } from './log-harness';

export const itHasAnIdentity = (harness: LogHarness): void => {
  const open = opener(harness);
  afterEach(() => harness.outage.end());

  it('is the same for every client of the log, at any time', async () => {
    const logs = await Promise.all([open(), open(), open()]);
    const names = await Promise.all(logs.map((log) => log.identity()));
    const [log] = logs;
    await freshTopic(log, 1);
    await log.close();

    expect(names[0]).toMatch(/^[\w-]{16,}$/);
    expect(new Set([...names, await (await open()).identity()]).size).toBe(1);
  });

  it('is unavailable while the log is', async () => {
    const log = await open();
    await harness.outage.begin();
    await expect(log.identity()).rejects.toThrow(LogUnavailable);
  });
};
