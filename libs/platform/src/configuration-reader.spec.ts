import { ConfigurationReplica, type OrganizationId, type StateRecord } from '@penstock/contracts';
import type { Follow, Reader } from '@penstock/messaging';
import { ConfigurationReader } from './configuration-reader';

const ORGANIZATION = 'organization0001' as OrganizationId;

const recordAt = (position: number): string => {
  const record: StateRecord = {
    position,
    state: { kind: 'organization', id: ORGANIZATION, name: 'Acme', enabled: true, apiKeys: [] },
  };
  return JSON.stringify(record);
};

afterEach(() => jest.useRealTimers());

interface Following {
  readonly follow: Follow;
  next: number;
  isStopped: boolean;
  readonly reach: () => void;
  readonly fail: () => void;
  readonly end: (cause?: Error) => void;
}

/** A log whose readers catch up, fail and end when the spec calls for it. */
class SlowLog {
  readonly readers: Following[] = [];
  private readonly values: string[] = [];

  async append(value: string): Promise<void> {
    this.values.push(value);
    for (const reader of this.readers) await this.deliver(reader);
  }

  async follow(follow: Follow): Promise<Reader> {
    let reach: Following['reach'] = () => undefined;
    let fail: Following['fail'] = () => undefined;
    const reached = new Promise<void>((resolve, reject) => {
      reach = resolve;
      fail = () => {
        reject(new Error('stopped'));
      };
    });
    reached.catch(() => undefined);
    let end: Following['end'] = () => undefined;
    const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
    const reader = { follow, next: 0, isStopped: false, reach, fail, end };
    this.readers.push(reader);
    await this.deliver(reader);
    const stop = (): Promise<void> => {
      reader.isStopped = true;
      return Promise.resolve();
    };
    return { ended, stop, caughtUp: () => reached };
  }

  private async deliver(reader: Following): Promise<void> {
    if (reader.isStopped) return;
    const records = this.values
      .map((value, offset) => ({
        partition: 0,
        offset,
        timestampMs: 0,
        key: 'organization',
        value,
      }))
      .slice(reader.next);
    reader.next += records.length;
    if (records.length > 0) await reader.follow.onBatch(0, records, new AbortController().signal);
  }
}

const setUp = async () => {
  const log = new SlowLog();
  await log.append(recordAt(4));
  const replica = new ConfigurationReplica();
  const errors: string[] = [];
  const feed = new ConfigurationReader(log, replica, ({ message }) => errors.push(message));
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
  const unread = new ConfigurationReader(log, replica, () => undefined);
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
    await log.append(recordAt(position));
    pairs.push([feed.end, replica.seen]);
    await new Promise(setImmediate);
  }
  clearInterval(watch);
  for (const [end, seen] of pairs) expect(seen).toBe(end + 3);
  expect(feed.end).toBe(26);
  await feed.stop();
});

it('restarts a second after reading has ended by itself', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { log, feed, errors } = await setUp();
  log.readers[0]?.reach();
  await feed.catchUp();
  log.readers[0]?.end(new Error('lost'));
  await new Promise(setImmediate);
  await expect(feed.ready()).rejects.toThrow('has not been read');
  await jest.advanceTimersByTimeAsync(999);
  expect(log.readers).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(log.readers).toHaveLength(2);
  log.readers[1]?.reach();
  expect(await feed.catchUp()).toBe(true);
  await feed.ready();
  expect(errors).toHaveLength(1);
  await feed.stop();
});

it('reads no more when it is stopped in the pause before it reads again', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { log, replica, feed } = await setUp();
  log.readers[0]?.end(new Error('the log has ended it'));
  await new Promise(setImmediate);
  await feed.stop();
  await jest.advanceTimersByTimeAsync(10_000);
  await log.append(recordAt(9));
  expect(replica.seen).toBe(4);
});

/** An organization without most of its members, as no version has written one. */
const HALF = { kind: 'organization', id: ORGANIZATION };

it.each([
  ['no JSON', '{'],
  ['nothing', 'null'],
  ['a text', '"text"'],
  ['no position', JSON.stringify({ state: JSON.parse(recordAt(5)) as object })],
  ['a position that is no number', recordAt(5).replace('5', '"5"')],
  ['a position that is no integer', recordAt(5).replace('5', '5.5')],
  ['no state', JSON.stringify({ position: 5 })],
  ['a state of nothing', JSON.stringify({ position: 5, state: { kind: 'organization' } })],
  ['half of a state', JSON.stringify({ position: 999, state: HALF })],
])('passes by a record with %s, and says which', async (_, foreign) => {
  const { log, replica, feed, errors } = await setUp();
  await log.append(foreign);
  expect(replica.seen).toBe(4);
  await log.append(recordAt(6).replace('Acme', 'Acme 6'));
  expect(replica.seen).toBe(6);
  expect(replica.organization(ORGANIZATION)?.name).toBe('Acme 6');
  expect(feed.end).toBe(3);
  expect(errors).toEqual([
    'the record of configuration.state at offset 1 is passed by: it is none that a pipeline service has written',
  ]);
  await feed.stop();
});
