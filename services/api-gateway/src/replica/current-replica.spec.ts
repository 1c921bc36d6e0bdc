import { ConfigurationReplica } from '@penstock/contracts';
import { CurrentReplica } from './current-replica';

const AWAY = { code: 'ServiceUnavailable', status: 503 };

/** A feed that reaches the end when it is told to. */
const setUp = () => {
  const feed = {
    end: 3,
    readings: [] as ((isReached: boolean) => void)[],
    catchUp: () => new Promise<boolean>((resolve) => feed.readings.push(resolve)),
  };
  return { feed, current: new CurrentReplica(new ConfigurationReplica(), feed) };
};

const nextTurn = () => new Promise(setImmediate);

it('waits for nothing where the replica is there already', async () => {
  const { feed, current } = setUp();
  await current.reach(3, 1_000);
  expect(feed.readings).toHaveLength(0);
});

it('reads up to an end that is further on, once for all who ask', async () => {
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

it('knows an end whose last records were compacted away, once it has read up to it', async () => {
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
])('says 503 when the end %s, and knows no more than before', async (_, timeoutMs) => {
  const { current } = setUp();
  await expect(current.reach(5, timeoutMs)).rejects.toMatchObject(AWAY);
  expect(current.stamp().end).toBe(3);
});

it('says 503 when reading has ended', async () => {
  const { feed, current } = setUp();
  const reached = current.toPresentEnd();
  feed.readings[0]?.(false);
  await expect(reached).rejects.toMatchObject(AWAY);
});

it('has one reading under way, and one that waits, however many have given up', async () => {
  const { feed, current } = setUp();
  for (let nth = 0; nth < 5; nth += 1)
    await expect(current.reach(5, 5)).rejects.toMatchObject(AWAY);
  expect(feed.readings).toHaveLength(1);
  feed.readings[0]?.(true);
  await nextTurn();
  expect(feed.readings).toHaveLength(2);
});

it('confirms what was decided by a replica that is still the newest, and nothing else', async () => {
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
