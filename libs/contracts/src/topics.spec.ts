import { MAX_TOPIC_PREFIX, PARTITIONS, TOPIC, topics } from './topics';

/** Limit of Kafka for the name of a topic, in characters. */
const KAFKA_NAME = 249;

const names = Object.values(TOPIC);

it('leaves room for the longest prefix before every name, and for no more', () => {
  const longest = Math.max(...names.map(({ length }) => length));
  expect(MAX_TOPIC_PREFIX + longest).toBe(KAFKA_NAME);
});

it('gives no topic of one prefix the name of a topic of another, where no prefix ends in `runs.`', () => {
  const between = names.flatMap((one) =>
    names
      .filter((other) => one !== other && one.endsWith(other))
      .map((other) => one.slice(0, -other.length)),
  );
  expect(between).toEqual(['runs.']);
});

it('makes every topic but the mark of the owner', () => {
  expect(topics(PARTITIONS.distributed).map(({ name }) => name)).toEqual(
    names.filter((name) => name !== TOPIC.installation),
  );
});
