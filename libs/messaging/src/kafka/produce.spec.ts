import type { ProducerRecord, RecordMetadata } from 'kafkajs';
import { givenPartition, produce } from './produce';

const answering = (...answers: RecordMetadata[]) => {
  const sent: ProducerRecord[] = [];
  const send = (record: ProducerRecord): Promise<RecordMetadata[]> => {
    sent.push(record);
    return Promise.resolve(answers);
  };
  return { sent, send };
};
const stored = { topicName: 't', partition: 2, errorCode: 0, baseOffset: '41' };
const messages = [
  { key: 'a', value: '1' },
  { key: 'b', value: null },
];

it('sends one partition, acknowledged by all in-sync replicas, and returns the first offset', async () => {
  const producer = answering(stored);
  expect(await produce(producer, 't', 2, messages)).toBe(41);
  expect(producer.sent).toMatchObject([{ topic: 't', acks: -1 }]);
  expect(producer.sent[0]?.messages).toEqual([
    { key: 'a', value: '1', partition: 2 },
    { key: 'b', value: null, partition: 2 },
  ]);
});

it.each<[string, RecordMetadata[]]>([
  ['names nothing', []],
  ['names another partition', [{ ...stored, partition: 1 }]],
  ['names several partitions', [stored, { ...stored, partition: 1 }]],
  ['names an error', [{ ...stored, errorCode: 6 }]],
  ['names no offset', [{ topicName: 't', partition: 2, errorCode: 0 }]],
  ['names an unknown offset', [{ ...stored, baseOffset: '-1' }]],
])('rejects an answer that %s', async (_, answers) => {
  await expect(produce(answering(...answers), 't', 2, messages)).rejects.toThrow('acknowledgement');
});

it('prevents kafkajs from choosing the partition', () => {
  expect(givenPartition()({ message: { partition: 7 } })).toBe(7);
});
