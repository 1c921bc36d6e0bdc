import { randomUUID } from 'node:crypto';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';
import { until } from './until';

/** Decodes every byte to one character. */
const bytesOf = (part: Buffer | string | null | undefined): string =>
  Buffer.isBuffer(part) ? part.toString('latin1') : (part ?? '');

const textOf = ({ key, value, headers = {} }: KafkaMessage): string =>
  [key, value, ...Object.entries(headers).flat(2)].map(bytesOf).join(' ');

/** The current content of all topics: keys, values and headers. */
export const topicTexts = async (
  brokers: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  const unread = new Map<string, number>();
  for (const topic of topics)
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
      if (Number(high) > Number(low)) unread.set(`${topic}/${String(partition)}`, Number(high));
  await admin.disconnect();

  const texts = new Map<string, string[]>(topics.map((topic) => [topic, []]));
  const consumer = kafka.consumer({ groupId: `looks-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachBatch: ({ batch }) => {
      const place = `${batch.topic}/${String(batch.partition)}`;
      texts.get(batch.topic)?.push(...batch.messages.map(textOf));
      if (Number(batch.lastOffset()) + 1 >= (unread.get(place) ?? 0)) unread.delete(place);
      return Promise.resolve();
    },
  });
  await until('all topics are read', () => unread.size === 0);
  await consumer.disconnect();
  return new Map([...texts].map(([topic, read]) => [topic, read.join('\n')]));
};
