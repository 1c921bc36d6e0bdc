import type { LogRecord, MessageLog } from '@penstock/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveListener } from './live-listener';
import { LivePast } from './live-past';

const END = 3;

/** A log that takes a moment to say that there is nothing to show. */
const LOG: Pick<MessageLog, 'read'> = {
  read: async (_topic, _partition, offset) => {
    await sleep(1);
    return { records: [] as LogRecord[], begin: offset, next: offset + 1, end: END };
  },
};

const listenerOf = (workspace: string): LiveListener =>
  ({ watch: { workspace }, tellExpired: () => undefined }) as unknown as LiveListener;

it('clients of one workspace that come back do not keep those of others waiting', async () => {
  const past = new LivePast(LOG, { open: () => '' });
  const ends: string[] = [];
  const recall = async (workspace: string): Promise<void> => {
    await past.recall(listenerOf(workspace), -1, END);
    ends.push(workspace);
  };
  const many = Array.from({ length: 20 }, () => recall('many'));
  await Promise.all([...many, recall('one')]);
  expect(ends).toHaveLength(21);
  expect(ends.indexOf('one')).toBeLessThan(4);
});
