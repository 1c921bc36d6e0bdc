import { ConfigurationReplica } from '@penstock/contracts';
import { CurrentReplica } from './current-replica';

const AWAY = { code: 'ServiceUnavailable', status: 503 };

/** A feed whose reads end when the spec resolves them. */
const setUp = () => {
  const feed = {
    end: 3,
    readings: [] as ((isReached: boolean) => void)[],
    catchUp: () => new Promise<boolean>((resolve) => feed.readings.push(resolve)),
  };
  return { feed, current: new CurrentReplica(new ConfigurationReplica(), feed) };
};

afterEach(() => jest.useRealTimers());

const nextTurn = () => new Promise(setImmediate);

it('does not read when the replica is at the end already', async () => {
  const { feed, current } = setUp();
  await current.reach(3, 1_000);
  expect(feed.readings).toHaveLength(0);
});

it('reads up to a later end, once for all callers', async () => {
  const { feed, current } = setUp();
  const reached = Promise.all([current.reach(5, 1_000), current.reach(4, 1_000)]);
  await nextTurn();
  expect(feed.readings).toHaveLength(1);
  feed.end = 5;
  feed.readings[0]?.(true);
  await nextTurn();
  feed.readings[1]?.(true);
  await reached;
  expect(current.stamp().end).toBe(5);
  expect(feed.readings.length).toBeLessThanOrEqual(2);
});

it('reaches an end whose last records were compacted away, once it has read up to it', async () => {
  const { feed, current } = setUp();
  const reached = current.reach(7, 1_000);
  feed.readings[0]?.(true);
  await reached;
  expect(current.stamp().end).toBe(7);
  await current.reach(7, 1_000);
  expect(feed.readings).toHaveLength(1);
});

it.each([
  ['does not come in time', 20],
  ['is not waited for any more', 0],
  ['was due before', -5],
])('answers 503 when the end %s, and does not advance', async (_, timeoutMs) => {
  const { current } = setUp();
  await expect(current.reach(5, timeoutMs)).rejects.toMatchObject(AWAY);
  expect(current.stamp().end).toBe(3);
});

it('answers 503 after a second, however long a caller would wait', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { current } = setUp();
  const refused = jest.fn();
  void current.reach(5, 60_000).catch(refused);
  await jest.advanceTimersByTimeAsync(999);
  expect(refused).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(refused).toHaveBeenCalledWith(expect.objectContaining(AWAY));
});

it('answers 503 when reading has ended', async () => {
  const { feed, current } = setUp();
  const reached = current.toPresentEnd();
  feed.readings[0]?.(false);
  await expect(reached).rejects.toMatchObject(AWAY);
});

it('has one read in progress and one waiting, however many callers have given up', async () => {
  const { feed, current } = setUp();
  for (let nth = 0; nth < 5; nth += 1)
    await expect(current.reach(5, 5)).rejects.toMatchObject(AWAY);
  expect(feed.readings).toHaveLength(1);
  feed.readings[0]?.(true);
  await nextTurn();
  expect(feed.readings).toHaveLength(2);
});

it('confirms a stamp while the replica is the newest, and no older one', async () => {
  const { feed, current } = setUp();
  const stamp = current.stamp();
  const same = current.confirms(stamp, 1_000);
  feed.readings[0]?.(true);
  expect(await same).toBe(true);
  const moved = current.confirms(stamp, 1_000);
  feed.end = 4;
  feed.readings[1]?.(true);
  expect(await moved).toBe(false);
});
