import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { until } from './until';

/** Everything that stands in any topic: keys, values and headers as text. */
export const topicTexts = async (
  brokers: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  const missing = new Set<string>();
  for (const topic of topics)
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
      if (Number(high) > Number(low)) missing.add(`${topic}/${String(partition)}`);
  await admin.disconnect();

  const texts = new Map(topics.map((topic) => [topic, '']));
  const consumer = kafka.consumer({ groupId: `looks-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachBatch: ({ batch }) => {
      const { topic, partition, messages, highWatermark } = batch;
      const read = messages.map(
        ({ key, value, headers }) =>
          `${String(key)} ${String(value)} ${JSON.stringify(headers, (_, each: unknown) =>
            Buffer.isBuffer(each) ? each.toString() : each,
          )}\n`,
      );
      texts.set(topic, `${texts.get(topic) ?? ''}${read.join('')}`);
      if (Number(batch.lastOffset()) >= Number(highWatermark) - 2)
        missing.delete(`${topic}/${String(partition)}`);
      return Promise.resolve();
    },
  });
  await until('all topics are read', () => missing.size === 0);
  await consumer.disconnect();
  return texts;
};
