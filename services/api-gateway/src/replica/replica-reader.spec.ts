import { ConfigurationReplica, type StateRecord, TOPIC } from '@penstock/contracts';
import type { Follow, Reader } from '@penstock/messaging';
import { organization, ORGANIZATION } from '../testing/installation.fixture';
import { MemoryLog } from '../testing/memory-log.fixture';
import { ReplicaReader } from './replica-reader';

/** A log whose readers catch up, fail and end when the spec calls for it. */
class SlowLog extends MemoryLog {
  readonly readers: { reach: () => void; fail: () => void; end: (cause?: Error) => void }[] = [];

  override async follow(follow: Follow): Promise<Reader> {
    const reader = await super.follow(follow);
    let reach: () => void = () => undefined;
    let fail: () => void = () => undefined;
    const reached = new Promise<void>((resolve, reject) => {
      reach = resolve;
      fail = () => {
        reject(new Error('stopped'));
      };
    });
    let end: (cause?: Error) => void = () => undefined;
    const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
    this.readers.push({ reach, fail, end });
    return { ...reader, ended, caughtUp: () => reached };
  }
}

const setUp = async () => {
  const log = new SlowLog();
  const record: StateRecord = { position: 4, state: organization() };
  await log.append(TOPIC.configurationState, [
    { key: 'organization', value: JSON.stringify(record) },
  ]);
  const replica = new ConfigurationReplica();
  const errors: string[] = [];
  const feed = new ReplicaReader(log, replica, {
    error: (_: object, text: string) => errors.push(text),
  } as never);
  await feed.start();
  return { log, replica, feed, errors };
};

it('is ready once everything present has been read', async () => {
  const { log, replica, feed } = await setUp();
  await expect(feed.ready()).rejects.toThrow('has not been read');
  log.readers[0]?.reach();
  expect(await feed.catchUp()).toBe(true);
  await feed.ready();
  expect(replica.seen).toBe(4);
  expect(feed.end).toBe(1);
  expect(replica.organization(ORGANIZATION)?.name).toBe('Acme');
  await feed.stop();
});

it('is not caught up before it reads, nor after reading has ended', async () => {
  const { log, replica, feed } = await setUp();
  const unread = new ReplicaReader(log, replica, { error: () => undefined });
  expect(await unread.catchUp()).toBe(false);
  const reading = feed.catchUp();
  log.readers[0]?.fail();
  expect(await reading).toBe(false);
  await feed.stop();
});

it('advances in the same turn as the replica', async () => {
  const { log, replica, feed } = await setUp();
  const pairs: [end: number, seen: number][] = [];
  const watch = setInterval(() => pairs.push([feed.end, replica.seen]), 0);
  for (let position = 5; position < 30; position += 1) {
    const value = JSON.stringify({ position, state: organization() });
    await log.append(TOPIC.configurationState, [{ key: 'organization', value }]);
    pairs.push([feed.end, replica.seen]);
    await new Promise(setImmediate);
  }
  clearInterval(watch);
  for (const [end, seen] of pairs) expect(seen).toBe(end + 3);
  expect(feed.end).toBe(26);
  await feed.stop();
});

it('restarts when reading ends by itself', async () => {
  const { log, feed, errors } = await setUp();
  log.readers[0]?.reach();
  await feed.catchUp();
  log.readers[0]?.end(new Error('lost'));
  await new Promise(setImmediate);
  await expect(feed.ready()).rejects.toThrow('has not been read');
  const deadline = Date.now() + 5_000;
  while (log.readers.length < 2 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  log.readers[1]?.reach();
  expect(await feed.catchUp()).toBe(true);
  await feed.ready();
  expect(errors).toHaveLength(1);
  await feed.stop();
});

it('reads no more when it is stopped in the pause before it reads again', async () => {
  const { log, replica, feed } = await setUp();
  log.readers[0]?.end(new Error('the log has ended it'));
  await new Promise(setImmediate);
  await feed.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const value = JSON.stringify({ position: 9, state: organization() });
  await log.append(TOPIC.configurationState, [{ key: 'organization', value }]);
  expect(replica.seen).toBe(4);
});
