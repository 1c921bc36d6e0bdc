import { type ConfigurationReplica, TOPIC } from '@penstock/contracts';
import { type AppendOptions, type MessageLog, TopicMoved } from '@penstock/messaging';
import { CurrentReplica } from '../replica/current-replica';
import { ExactAppend } from './exact-append';
import type { Judge, Judged } from './judge';
import type { Received } from './received';

const APPEND_TIMEOUT_MS = 1_000;
const JUDGED = { taken: { messages: [{ key: 'k', value: 'event' }] } } as unknown as Judged;
const RECEIVED = { holding: { add: () => undefined } } as unknown as Received;

/**
 * Appends while the configuration changes.
 *
 * @param takesMs how long each attempt takes that finds the configuration changed; the one after them succeeds.
 */
const appending = (takesMs: readonly number[]) => {
  const timesMs: (number | undefined)[] = [];
  let end = 0;
  const log: Pick<MessageLog, 'append'> = {
    append: (_, __, { timeoutMs }: AppendOptions = {}) => {
      timesMs.push(timeoutMs);
      const takes = takesMs[timesMs.length - 1];
      if (takes === undefined) return Promise.resolve([]);
      jest.advanceTimersByTime(takes);
      end += 1;
      return Promise.reject(new TopicMoved(TOPIC.configurationState, end));
    },
  };
  const feed = {
    get end() {
      return end;
    },
    catchUp: () => Promise.resolve(true),
  };
  const append = new ExactAppend({
    log: log as MessageLog,
    current: new CurrentReplica({ seen: 1 } as ConfigurationReplica, feed),
    judge: { judge: () => JUDGED } as unknown as Judge,
    limits: { appendTimeoutMs: APPEND_TIMEOUT_MS },
  });
  return { timesMs, outcome: append.append(RECEIVED) };
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('all attempts of a request share its time', async () => {
  const { timesMs, outcome } = appending([300, 500]);
  expect(await outcome).toBe(JUDGED);
  expect(timesMs).toEqual([1_000, 700, 200]);
});

it('an event is not appended after its time', async () => {
  const { timesMs, outcome } = appending([600, 400]);
  await expect(outcome).rejects.toMatchObject({ status: 503 });
  expect(timesMs).toEqual([1_000, 400]);
});
