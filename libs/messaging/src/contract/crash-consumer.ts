import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageLog } from '../message-log';

interface LogModule {
  readonly openLog: () => Promise<MessageLog>;
}

/** Runs a member of a group in a process of its own: prints each value once it has handled it, and never ends. */
const consume = async ([module = '', topic = '', group = '']: readonly string[]): Promise<void> => {
  const { openLog } = (await import(module)) as LogModule;
  const log = await openLog();
  await log.subscribe({
    topic,
    group,
    maxRecords: 5,
    onBatch: async (_, records) => {
      await sleep(20);
      process.stdout.write(records.map(({ value }) => `${value}\n`).join(''));
    },
  });
};

void consume(process.argv.slice(2));
