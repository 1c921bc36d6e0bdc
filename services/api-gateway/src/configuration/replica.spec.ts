import { ConfigurationPicture } from '@penstock/contracts';
import { Replica } from './replica';

const AWAY = { code: 'ServiceUnavailable', status: 503 };

/** A feed that reaches the end when it is told to. */
const setUp = () => {
  const feed = {
    end: 3,
    readings: [] as ((isReached: boolean) => void)[],
    catchUp: () => new Promise<boolean>((resolve) => feed.readings.push(resolve)),
  };
  return { feed, replica: new Replica(new ConfigurationPicture(), feed) };
};

const nextTurn = () => new Promise(setImmediate);

it('waits for nothing where the picture is there already', async () => {
  const { feed, replica } = setUp();
  await replica.reach(3, 1_000);
  expect(feed.readings).toHaveLength(0);
});

it('reads up to an end that is further on, once for all who ask', async () => {
  const { feed, replica } = setUp();
  const reached = Promise.all([replica.reach(5, 1_000), replica.reach(4, 1_000)]);
  await nextTurn();
  expect(feed.readings).toHaveLength(1);
  feed.end = 5;
  feed.readings[0]?.(true);
  await nextTurn();
  feed.readings[1]?.(true);
  await reached;
  expect(replica.stamp().end).toBe(5);
  expect(feed.readings.length).toBeLessThanOrEqual(2);
});

it('knows an end whose last records were compacted away, once it has read up to it', async () => {
  const { feed, replica } = setUp();
  const reached = replica.reach(7, 1_000);
  feed.readings[0]?.(true);
  await reached;
  expect(replica.stamp().end).toBe(7);
  await replica.reach(7, 1_000);
  expect(feed.readings).toHaveLength(1);
});

it.each([
  ['does not come in time', 20],
  ['is not waited for any more', 0],
  ['was due before', -5],
])('says 503 when the end %s, and knows no more than before', async (_, timeoutMs) => {
  const { replica } = setUp();
  await expect(replica.reach(5, timeoutMs)).rejects.toMatchObject(AWAY);
  expect(replica.stamp().end).toBe(3);
});

it('says 503 when reading has ended', async () => {
  const { feed, replica } = setUp();
  const reached = replica.toPresentEnd();
  feed.readings[0]?.(false);
  await expect(reached).rejects.toMatchObject(AWAY);
});

it('has one reading under way, and one that waits, however many have given up', async () => {
  const { feed, replica } = setUp();
  for (let nth = 0; nth < 5; nth += 1)
    await expect(replica.reach(5, 5)).rejects.toMatchObject(AWAY);
  expect(feed.readings).toHaveLength(1);
  feed.readings[0]?.(true);
  await nextTurn();
  expect(feed.readings).toHaveLength(2);
});

it('confirms what was decided by a picture that is still the newest, and nothing else', async () => {
  const { feed, replica } = setUp();
  const stamp = replica.stamp();
  const same = replica.confirms(stamp, 1_000);
  feed.readings[0]?.(true);
  expect(await same).toBe(true);
  const moved = replica.confirms(stamp, 1_000);
  feed.end = 4;
  feed.readings[1]?.(true);
  expect(await moved).toBe(false);
});
