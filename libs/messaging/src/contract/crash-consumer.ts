import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageLog } from '../message-log';

interface LogModule {
  readonly openLog: () => Promise<MessageLog>;
}

/** Values after which it stands still: those that are left are of its successor. */
const MOST_VALUES = 1_500;

/** Runs a member of a group in a process of its own: prints each value once it has handled it, and never ends. */
const consume = async ([module = '', topic = '', group = '']: readonly string[]): Promise<void> => {
  const { openLog } = (await import(module)) as LogModule;
  const log = await openLog();
  let handled = 0;
  await log.subscribe({
    topic,
    group,
    maxRecords: 5,
    onBatch: async (_, records) => {
      if (handled >= MOST_VALUES) await new Promise(() => undefined);
      await sleep(20);
      handled += records.length;
      process.stdout.write(records.map(({ value }) => `${value}\n`).join(''));
    },
  });
};

void consume(process.argv.slice(2));
