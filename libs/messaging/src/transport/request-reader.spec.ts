import type { LogRecord, MessageLog, Subscribe, Subscription } from '../message-log';
import { WITHDRAWAL } from './message-format';
import { RequestReader, type TakenRequest } from './request-reader';

/** A reader of one partition, whose records the test delivers. */
const readerOf = async () => {
  let subscribed: Subscribe | undefined;
  const subscription: Subscription = {
    ended: new Promise(() => undefined),
    commit: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const log: Pick<MessageLog, 'subscribe'> = {
    subscribe: async (options) => {
      subscribed = options;
      await options.onAssigned?.([0]);
      return subscription;
    },
  };
  const taken: TakenRequest[] = [];
  const withdrawn: string[] = [];
  const reader = new RequestReader({
    ...{ log: log as MessageLog, topic: 'commands', group: 'g', concurrency: 1 },
    handle: (request) => {
      taken.push(request);
      return Promise.resolve();
    },
    onWithdrawn: (id) => withdrawn.push(id),
    onFault: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  await reader.start();
  const deliver = async (...records: LogRecord[]): Promise<void> => {
    await subscribed?.onBatch(0, records, new AbortController().signal);
    while (taken.length < records.length) await new Promise(setImmediate);
  };
  return { reader, taken, withdrawn, deliver };
};

const record = (offset: number, request: { readonly pattern: string; readonly id?: string }) =>
  ({
    ...{ partition: 0, offset, key: 'k', timestampMs: 0 },
    value: JSON.stringify({ data: {}, replyTo: 'r', ...request }),
  }) as unknown as LogRecord;

it('a withdrawal ends the requests of its id that were sent before it, and none that was sent later', async () => {
  const { reader, taken, withdrawn, deliver } = await readerOf();
  await deliver(
    record(0, { pattern: 'Ask', id: 'one' }),
    record(1, { pattern: 'Ask', id: 'other' }),
    record(2, { pattern: WITHDRAWAL, id: 'one' }),
    record(3, { pattern: 'Ask', id: 'one' }),
  );
  expect(taken.map(({ withdrawal }) => withdrawal.signal.aborted)).toEqual([
    ...[true, false, false, false],
  ]);
  expect(withdrawn).toEqual(['one']);
  await reader.stop();
});
